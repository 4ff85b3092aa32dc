/**
 * ESLint rule: numbers that are shown, saved or compared have the same bits in every engine.
 *
 * ECMAScript leaves the last digits of Math.exp, Math.log, Math.sin, `**` and similar functions to
 * the engine, so src/numbers/ replaces them. The rule allows only those members of Math that every
 * engine computes exactly, by name: Math itself must not be passed on. It allows `2 ** n`, which is
 * exact for whole n in every engine (test/engines/ checks it).
 */

/** Exact by the specification, or by IEEE 754 in every engine (sqrt, fround). */
const exactFunctions = new Set([
  ...["abs", "ceil", "clz32", "floor", "fround", "imul", "max", "min"],
  ...["round", "sign", "sqrt", "trunc"],
]);
const isAllowed = (/** @type {string} */ name) =>
  exactFunctions.has(name) || /^[A-Z][A-Z0-9_]*$/.test(name);

/**
 * @param {import("estree").Node} node
 * @returns {boolean} whether it is an integer literal, with or without a sign
 */
function isWholeLiteral(node) {
  if (node.type === "UnaryExpression" && node.operator === "-")
    return isWholeLiteral(node.argument);
  return node.type === "Literal" && Number.isInteger(node.value);
}

/** @param {import("estree").Node} base @param {import("estree").Node} exponent */
function isPowerOfTwo(base, exponent) {
  if (base.type !== "Literal" || base.value !== 2) return false;
  // Rejects literal fractions; a computed exponent is the caller's responsibility.
  const isFraction =
    (exponent.type === "Literal" && !isWholeLiteral(exponent)) ||
    (exponent.type === "UnaryExpression" && !isWholeLiteral(exponent));
  return !isFraction;
}

/**
 * Returns the name of a member if it is a literal.
 * @param {import("estree").Node} key
 * @param {boolean} computed
 */
function nameOf(key, computed) {
  if (!computed && key.type === "Identifier") return key.name;
  return key.type === "Literal" && typeof key.value === "string" ? key.value : undefined;
}

/** @type {import("eslint").Rule.RuleModule} */
export const portableNumbers = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      function:
        "Math.{{name}} differs between engines in its last digits: use a function of src/numbers.",
      power:
        "** differs between engines in its last digits: write a product, or use portablePow of src/numbers. Only 2 ** n is exact.",
      whole: "Math as a whole holds functions that differ between engines: name the one you need.",
    },
  },
  create(context) {
    /** @param {import("estree").Node} node @param {string | undefined} name */
    const checkName = (node, name) => {
      if (name === undefined) context.report({ node, messageId: "whole" });
      else if (!isAllowed(name)) context.report({ node, messageId: "function", data: { name } });
    };

    /** @param {any} node an expression whose value is Math, and thus not the whole program */
    const checkUse = (node) => {
      /** @type {import("estree").Node} */
      const parent = node.parent;
      if (parent.type === "MemberExpression" && parent.object === node) {
        checkName(parent, nameOf(parent.property, parent.computed));
      } else if (
        parent.type === "VariableDeclarator" &&
        parent.init === node &&
        parent.id.type === "ObjectPattern"
      ) {
        for (const property of parent.id.properties) {
          if (property.type === "Property") {
            checkName(property, nameOf(property.key, property.computed));
          } else checkName(property, undefined);
        }
      } else context.report({ node, messageId: "whole" });
    };

    /**
     * @param {import("estree").Node} node @param {import("estree").Node} base @param
     *   {import("estree").Node} exponent
     */
    const checkPower = (node, base, exponent) => {
      if (!isPowerOfTwo(base, exponent)) context.report({ node, messageId: "power" });
    };

    return {
      // Only the global: a parameter or a property may have the same name.
      "Program:exit"(node) {
        const scope = context.sourceCode.getScope(node);
        const isMath = (/** @type {import("eslint").Scope.Reference} */ reference) =>
          reference.identifier.name === "Math" && !reference.resolved?.defs.length;
        const references = [...scope.through, ...(scope.set.get("Math")?.references ?? [])].filter(
          isMath,
        );
        for (const { identifier } of new Set(references)) {
          // `typeof Math` in a type computes nothing.
          if (/** @type {any} */ (identifier).parent.type === "TSTypeQuery") continue;
          checkUse(identifier);
        }
      },
      // globalThis.Math.log
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.object.name !== "globalThis") return;
        if (nameOf(node.property, node.computed) === "Math") checkUse(node);
      },
      'BinaryExpression[operator="**"]'(/** @type {import("estree").BinaryExpression} */ node) {
        checkPower(node, /** @type {import("estree").Node} */ (node.left), node.right);
      },
      'AssignmentExpression[operator="**="]'(/** @type {import("estree").Node} */ node) {
        context.report({ node, messageId: "power" });
      },
    };
  },
};
