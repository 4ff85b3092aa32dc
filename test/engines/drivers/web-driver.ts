/** A minimal client of the W3C WebDriver protocol, which is JSON over HTTP. */

/** Key of an element in the protocol. */
const elementKey = "element-6066-11e4-a52e-4f735466cecf";

export class WebDriverSession {
  private constructor(
    private readonly address: string,
    /** Name and version of the browser, such as "MiniBrowser 2.44". */
    readonly browser: string,
  ) {}

  static async open(server: string, capabilities: object): Promise<WebDriverSession> {
    const { sessionId, capabilities: given } = await request<{
      sessionId: string;
      capabilities: { browserName: string; browserVersion: string };
    }>("POST", `${server}/session`, { capabilities: { alwaysMatch: capabilities } });
    const browser = `${given.browserName} ${given.browserVersion}`;
    return new WebDriverSession(`${server}/session/${sessionId}`, browser);
  }

  async limit(milliseconds: number): Promise<void> {
    await this.post("timeouts", { script: milliseconds, pageLoad: milliseconds });
  }

  async resize(size: { readonly width: number; readonly height: number }): Promise<void> {
    await this.post("window/rect", size);
  }

  async goTo(url: string): Promise<void> {
    await this.post("url", { url });
  }

  /** Runs the body of an async function in the page. */
  async evaluate<T>(body: string): Promise<T> {
    const script = `
      const done = arguments[arguments.length - 1];
      (async () => {${body}})().then(
        (value) => done({ value: value === undefined ? null : value }),
        (error) => done({ error: String(error) }),
      );`;
    const outcome = await this.post<{ value: T; error?: string }>("execute/async", {
      script,
      args: [],
    });
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome.value;
  }

  async click(xpath: string): Promise<void> {
    const element = await this.post<Record<string, string>>("element", {
      using: "xpath",
      value: xpath,
    });
    await this.post(`element/${element[elementKey]}/click`, {});
  }

  async screenshot(): Promise<Uint8Array> {
    const encoded = await request<string>("GET", `${this.address}/screenshot`);
    return Buffer.from(encoded, "base64");
  }

  async close(): Promise<void> {
    await request("DELETE", this.address);
  }

  private post<T>(command: string, body: object): Promise<T> {
    return request<T>("POST", `${this.address}/${command}`, body);
  }
}

async function request<T>(method: string, url: string, body?: object): Promise<T> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) {
    throw new Error(`WebDriver refused ${method} ${url}: ${value.error}, ${value.message}`);
  }
  return value;
}
