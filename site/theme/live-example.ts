/**
 * `<live-example name="pairs">`: an example of the lab's build (site/live), loaded when the reader
 * scrolls near it. Its contents are shown until then.
 */
import { withBase } from "vitepress";

interface LiveModule {
  readonly showExample: (name: string, element: HTMLElement) => Promise<() => void>;
}

/** Distance in pixels at which an example starts to load. */
const near = 300;

/** Call it in browsers only. */
export function defineLiveExample(): void {
  if (customElements.get("live-example")) return;
  customElements.define(
    "live-example",
    class extends HTMLElement {
      private observer: IntersectionObserver | undefined;
      private end: (() => void) | undefined;

      connectedCallback(): void {
        const observer = new IntersectionObserver(
          (entries) => {
            if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
            observer.disconnect();
            void this.show();
          },
          { rootMargin: `${near}px` },
        );
        observer.observe(this);
        this.observer = observer;
      }

      disconnectedCallback(): void {
        this.observer?.disconnect();
        this.end?.();
      }

      private async show(): Promise<void> {
        try {
          const address = new URL(withBase("/lab/live.js"), location.href).href;
          const { showExample } = (await import(/* @vite-ignore */ address)) as LiveModule;
          const end = await showExample(this.getAttribute("name") ?? "", this);
          if (this.isConnected) this.end = end;
          else end();
        } catch {
          this.textContent = "The example could not be loaded. Reload the page to try again.";
        }
      }
    },
  );
}
