import type { CredentialNames } from '@/server/shared/masking/credential-name';
import type { Hide } from '@/server/shared/masking/hide';

/** A line `name: value`, or `- name: value`, as YAML has it. */
const LINE = /^([ \t]*(?:-[ \t]+)*)(["']?)([A-Za-z_/.][\w./ -]{0,120}?)\2[ \t]*:(?:[ \t]+(.*))?$/;
const BLOCK = /^(?:[&!][^\s]+[ \t]+)*[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$/;
const ITEM = /^[ \t]*-(?:[ \t]+|$)/;
const MARKER_START = '[masked:';

/** Members that name the location of a secret: `secretKeyRef` and the like. */
const REFERENCE =
  /^(?:-[ \t]+)?(?:name|namespace|key|secretName|items|defaultMode|optional|path|mode|audience|expirationSeconds)[ \t]*:/;

/** An object of names and values has few other members. */
const SIBLINGS_MAX = 8;

interface Line {
  /** The column of the name, behind the signs of list items. */
  column: number;
  /** The column of the line's first character. */
  indent: number;
  name: string;
  /** Everything up to the value. */
  head: string;
  value: string;
}

/**
 * The text, where everything under the name of a credential is replaced as YAML understands it: by indentation,
 * in lists, in blocks of text, and in `name:` beside `value:`. The text need not be YAML as a whole.
 */
export function hideInYaml(text: string, names: CredentialNames, hide: Hide): string {
  if (!/:[ \t]*(?:\r?\n|[|>[{])|\n/.test(text)) return text;
  const lines = text.split('\n');
  const parsed = lines.map(parseLine);
  const isDocument = lines.length > 1 && isMostlyYaml(lines, parsed);
  for (let at = 0; at < lines.length; at += 1) {
    const line = parsed[at];
    if (line === undefined) continue;
    const name = line.name === 'value' ? (siblingOf(parsed, at) ?? line.name) : line.name;
    if (!names.mayName(name)) continue;
    at = hideMember(lines, at, line, { name, names, hide, isDocument });
  }
  return lines.join('\n');
}

interface Member {
  name: string;
  names: CredentialNames;
  hide: Hide;
  isDocument: boolean;
}

/** Hides the value of the member that begins at this line, and returns the last line of it. */
function hideMember(lines: string[], at: number, line: Line, member: Member): number {
  const { value } = line;
  const end = endOf(lines, at, line);
  if (value === '' || value.startsWith('#')) return hideBelow(lines, at + 1, end, member);
  if (BLOCK.test(value)) return hideBlock(lines, at + 1, end, member);
  if (value.startsWith(MARKER_START)) return at;
  if (value.startsWith('[') || value.startsWith('{')) {
    lines[at] = line.head + hideFlow(value, member);
    for (let next = at + 1; next < end; next += 1) lines[next] = hideFlow(lines[next] ?? '', member);
    return end - 1;
  }
  if (!member.isDocument) return at;
  lines[at] = line.head + hideScalar(value, member);
  return hideBlock(lines, at + 1, end, member);
}

/** The first line behind the member: the next one that is not indented deeper, but for items of its list. */
function endOf(lines: readonly string[], at: number, { column, value }: Line): number {
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line.trim() === '') continue;
    const indent = indentOf(line);
    const isItem = value === '' && indent === column && ITEM.test(line);
    if (indent <= column && !isItem) break;
    end = next + 1;
  }
  return end;
}

/** A block of text is one value. */
function hideBlock(lines: string[], from: number, end: number, { hide }: Member): number {
  if (from >= end) return from - 1;
  const block = lines.slice(from, end);
  const indent = ' '.repeat(indentOf(block[0] ?? ''));
  const value = block.map((line) => line.trim()).join('\n');
  if (value.startsWith(MARKER_START)) return end - 1;
  lines.splice(from, end - from, indent + hide(value), ...block.slice(1).map(() => ''));
  return end - 1;
}

/** Lists and objects keep their form; their values are replaced. */
function hideBelow(lines: string[], from: number, end: number, member: Member): number {
  const given = lines.slice(from, end).filter((line) => line.trim() !== '');
  if (given.every((line) => REFERENCE.test(line.trim()))) return end - 1;
  for (let next = from; next < end; next += 1) {
    const line = lines[next] ?? '';
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    const [, head = '', value = ''] =
      /^([ \t]*(?:-[ \t]+)*(?:[\w."'/-]+[ \t]*:(?:[ \t]+|$))?)(.*)$/.exec(line) ?? [];
    if (value === '' || BLOCK.test(value)) continue;
    lines[next] = head + (/^[[{]/.test(value) ? hideFlow(value, member) : hideScalar(value, member));
  }
  return end - 1;
}

const FLOW_VALUE =
  /\[masked:[0-9a-f]{8}\]|"(?:\\.|[^"\\])*"?|'[^']*'?|[^\s,[\]{}:"']+(?=\s*:(?:\s|$))|[^\s,[\]{}"':](?:[^,[\]{}\n])*/g;

/** The values of a list or object in brackets; names of members are no values. */
function hideFlow(value: string, member: Member): string {
  return value.replace(FLOW_VALUE, (found: string, offset: number) => {
    // What stands before a marker is the beginning of a value that is masked.
    const isOther = /^(?:\s*:(?:\s|$)|\[masked:)/.test(
      value.slice(offset + found.length, offset + found.length + 8),
    );
    return isOther ? found : hideScalar(found.trimEnd(), member) + found.slice(found.trimEnd().length);
  });
}

function hideScalar(value: string, { name, names, hide }: Member): string {
  const [, quoted, quote = '', inner = ''] = /^((["'])(.*)\2)[ \t]*(?:#.*)?$/.exec(value) ?? [];
  if (quoted !== undefined)
    return names.isCredential(name, inner)
      ? quote + hideOnce(inner, hide) + quote + value.slice(quoted.length)
      : value;
  const plain = value.replace(/[ \t]+#.*$|[ \t\r]+$/, '');
  if (!names.isCredential(name, plain) || /^\$\{?[A-Z_][A-Z0-9_]*\}?$|^\{\{.*\}\}$/.test(plain)) return value;
  return hideOnce(plain, hide) + value.slice(plain.length);
}

function hideOnce(value: string, hide: Hide): string {
  return value === '' || value.startsWith(MARKER_START) ? value : hide(value);
}

/** The name of `name: X` or `key: X` beside the member at this line, in the same object. */
function siblingOf(parsed: readonly (Line | undefined)[], at: number): string | undefined {
  const own = parsed[at];
  for (const step of [-1, 1]) {
    for (let next = at + step; Math.abs(next - at) <= SIBLINGS_MAX; next += step) {
      const line = parsed[next];
      const before = parsed[next - step];
      // A new item begins with its sign.
      const isOther =
        step === 1 ? line?.indent !== own?.column : before !== undefined && before.indent !== before.column;
      if (line === undefined || line.column !== own?.column || isOther) break;
      if (line.name === 'name' || line.name === 'key') return line.value.replace(/^["']|["']$/g, '');
    }
  }
  return undefined;
}

function parseLine(line: string): Line | undefined {
  if (!line.includes(':')) return undefined;
  const match = LINE.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (match === null) return undefined;
  const [whole, start = '', , name = '', value = ''] = match;
  return {
    column: start.length,
    indent: indentOf(line),
    name,
    head: whole.slice(0, whole.length - value.length),
    value,
  };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Prose and logs have a colon here and there. */
function isMostlyYaml(lines: readonly string[], parsed: readonly (Line | undefined)[]): boolean {
  const given = lines.filter((line) => /\S/.test(line) && !/^\s*(?:#|---|-\s)/.test(line)).length;
  return parsed.filter((line) => line !== undefined).length * 2 >= given;
}
