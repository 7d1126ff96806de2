/** What the page's scripts use of the browser; its whole type would put every browser global into the services. */
export interface Spot {
  className: string;
  hidden: boolean;
  textContent: string | null;
  dataset: Record<string, string | undefined>;
  setAttribute(name: string, value: string): void;
  addEventListener(name: string, heard: (event: Happening) => void): void;
  querySelector(selector: string): Spot | null;
  append(...parts: (Spot | string)[]): void;
  replaceChildren(...parts: (Spot | string)[]): void;
  scrollIntoView(how: { block: 'nearest' }): void;
  /** Of the file input and the progress bar. */
  value: string | number;
  files: Iterable<PickedFile> | null;
}

export interface Happening {
  preventDefault(): void;
  relatedTarget: unknown;
  dataTransfer: { types: readonly string[]; files: Iterable<PickedFile>; dropEffect: string } | null;
}

export interface PickedFile {
  name: string;
  size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

declare const document: Spot & { documentElement: Spot; createElement(name: string): Spot };

/** `document` itself, for what happens anywhere on the page. */
export function page(): Spot {
  return document;
}

export function root(): Spot {
  return document.documentElement;
}

export function spot(selector: string): Spot | null {
  return document.querySelector(selector);
}

export function write(selector: string, text: string): void {
  const found = spot(selector);
  if (found) found.textContent = text;
}

/** An element of a class, with text and elements in it: text never becomes markup. */
export function made(name: string, className: string, ...parts: (Spot | string)[]): Spot {
  const element = document.createElement(name);
  element.className = className;
  element.append(...parts);
  return element;
}
