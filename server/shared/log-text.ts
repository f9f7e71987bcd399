/** Anything else is quoted as JSON. */
const plain = /^[\w.:/@{}*+-]+$/;

/** Text of others must not move the cursor of a terminal, nor begin a line. */
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** `time level message name=value …` for people; the stack of an error follows in lines of its own, indented. */
export function textOf({ time, level, message, ...fields }: Readonly<Record<string, unknown>>): string {
  const words = [String(time), String(level).padEnd(5), escaped(String(message))];
  const stacks: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (!hasStack(value)) {
      words.push(`${quoted(name)}=${quoted(value)}`);
      continue;
    }
    const { stack, ...rest } = value;
    words.push(`${quoted(name)}=${quoted(rest)}`);
    stacks.push(...stack.split('\n').map((line) => `    ${escaped(line)}`));
  }
  return [words.join(' '), ...stacks].join('\n');
}

function hasStack(value: unknown): value is { stack: string } {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string';
}

function quoted(value: unknown): string {
  const text =
    typeof value === 'string' && plain.test(value) ? value : (JSON.stringify(value) ?? 'undefined');
  return escaped(text);
}

function escaped(text: string): string {
  return text.replace(controls, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
