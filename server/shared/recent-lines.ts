const LINES_MAX = 100;
const CHARS_MAX = 4_000;

/** The latest lines of a log, for a support bundle: at most 100, each of at most 4,000 characters. */
export class RecentLines {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line.length > CHARS_MAX ? `${line.slice(0, CHARS_MAX)}…` : line);
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
  }

  /** Oldest first. */
  get all(): readonly string[] {
    return [...this.#lines];
  }
}
