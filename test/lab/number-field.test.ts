import { expect, test } from "vitest";
import { button, launchBeforeTests, limitInMilliseconds, openLab } from "./in-lab.js";

launchBeforeTests();

test(
  "number fields keep what is being typed while the panel is redrawn",
  { timeout: 4 * limitInMilliseconds },
  async (context) => {
    const { page, complaints } = await openLab(context, "#train?steps=20000&patch=4");
    await page.getByText("8 pictures, with room for").waitFor();
    await button(page, "Fit").click();
    await page.getByText(/, step [1-9]/).waitFor();
    const steps = page.getByRole("spinbutton", { name: "Steps" });
    await steps.fill("");
    const progress = page.getByText(/, step [1-9]/);
    for (const key of "7301") {
      const before = await progress.innerText();
      await steps.press(key);
      // The panel is redrawn between two keys.
      await expect.poll(() => progress.innerText()).not.toBe(before);
    }
    expect(await steps.inputValue()).toBe("7301");
    await steps.press("Tab");
    await expect.poll(() => new URL(page.url()).hash).toContain("steps=7301");
    // An invalid number is not taken; leaving the field restores the last one.
    await steps.fill("-5");
    await steps.press("Enter");
    expect(await steps.inputValue()).toBe("-5");
    await steps.blur();
    await expect.poll(() => steps.inputValue()).toBe("7301");
    expect(new URL(page.url()).hash).toContain("steps=7301");
    await steps.fill("8");
    await steps.press("Enter");
    await expect.poll(() => new URL(page.url()).hash).toContain("steps=8");
    expect(complaints).toEqual([]);
  },
);
