/** WAI-ARIA tabs: arrow keys, Home and End move to a tab and open it. */
import type { ComponentChildren, VNode } from "preact";
import { useId, useRef } from "preact/hooks";

interface TabsProps<T extends string> {
  /** Names the tabs for screen readers. */
  readonly label: string;
  readonly value: T;
  readonly tabs: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
  /** Contents of the open tab. */
  readonly children: ComponentChildren;
}

export function Tabs<T extends string>(props: TabsProps<T>): VNode {
  const { label, value, tabs, onChange, children } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const go = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.value === value);
    const to = targetOf(event.key, at, tabs.length);
    if (to === undefined) return;
    event.preventDefault();
    onChange(tabs[to].value);
    list.current?.querySelectorAll("button")[to].focus();
  };
  return (
    <div class="tabs">
      <div ref={list} role="tablist" aria-label={label} onKeyDown={go}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => {
              onChange(tab.value);
            }}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {children}
      </div>
    </div>
  );
}

function targetOf(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowRight") return (at + 1) % count;
  if (key === "ArrowLeft") return (at + count - 1) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return undefined;
}
