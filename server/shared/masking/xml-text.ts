import type { CredentialNames } from '@/server/shared/masking/credential-name';
import { type Hide, hideWhole } from '@/server/shared/masking/hide';

const TAG = /<(\/?)([A-Za-z_][\w.:-]{0,100})([^<>]*)>/g;
const ATTRIBUTE = /([A-Za-z_][\w.:-]{0,100})[ \t\r\n]{0,8}=[ \t\r\n]{0,8}(?:"([^"]*)"|'([^']*)')/g;
const CDATA = /^(\s*<!\[CDATA\[)([^]*?)(\]\]>\s*)$/;

/** Attributes and elements that name what stands beside them. */
const NAMING = /^(?:name|key|param-name|entry-key)$/i;
const VALUES = /^(?:value|val|content|default|connectionstring)$/i;

/** Elements of HTML that have no end. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** No document has more; a deeper element counts as part of this one. */
const DEPTH_MAX = 200;

/** A text, by its positions, and the name that it has. */
interface Text {
  from: number;
  to: number;
}

interface Element {
  tag: string;
  /** Of a credential: its own, or the one beside it. All texts in it are of this name. */
  name: string | undefined;
  /** The name that the next element in it has. */
  nextName: string | undefined;
  /** The last value in it that has no name yet. */
  value: Text | undefined;
}

/**
 * The text, where every text of an element with the name of a credential is replaced, and the values beside
 * such a name: `<name>db.password</name><value>x</value>`, `<add key="DbPassword" value="x"/>`.
 */
export function hideInXml(text: string, names: CredentialNames, hide: Hide): string {
  if (!/<[A-Za-z_]/.test(text) || !/<\/|\/>|=/.test(text)) return text;
  const scan = new XmlScan(text, names);
  return replaced(text, scan.secrets(), hide);
}

class XmlScan {
  readonly #text: string;
  readonly #names: CredentialNames;
  readonly #secrets: Text[] = [];
  readonly #open: Element[] = [];

  constructor(text: string, names: CredentialNames) {
    this.#text = text;
    this.#names = names;
  }

  secrets(): Text[] {
    let from = 0;
    for (const match of this.#text.matchAll(TAG)) {
      const [whole, slash = '', tag = '', attributes = ''] = match;
      const inner = innerOf(this.#text, from, match.index);
      from = match.index + whole.length;
      if (slash === '') this.#begin(tag, attributes, from - 1 - attributes.length, inner);
      else this.#end(tag, inner);
    }
    return this.#secrets;
  }

  #begin(tag: string, attributes: string, at: number, before: Text | undefined): void {
    const parent = this.#open.at(-1);
    if (parent?.name !== undefined) this.#add(parent.name, before);
    const given = attributeName(attributes);
    if (given !== undefined) for (const value of valuesOf(attributes, at)) this.#add(given, value);
    const own = [given, localName(tag)].find((name) => name !== undefined && this.#names.mayName(name));
    let beside: string | undefined;
    if (parent?.nextName !== undefined && !NAMING.test(localName(tag))) {
      beside = parent.nextName;
      parent.nextName = undefined;
    }
    if (attributes.endsWith('/') || VOID.test(tag) || this.#open.length >= DEPTH_MAX) return;
    const name = parent?.name ?? own ?? beside;
    this.#open.push({ tag, name, nextName: undefined, value: undefined });
  }

  #end(tag: string, inner: Text | undefined): void {
    const at = this.#open.findLastIndex((element) => element.tag === tag);
    const closed = this.#open[at];
    if (closed === undefined) return;
    const parent = this.#open[at - 1];
    this.#open.length = at;
    if (inner === undefined) return;
    if (closed.name !== undefined) this.#add(closed.name, inner);
    else if (parent !== undefined) this.#readSibling(localName(tag), inner, parent);
  }

  /** An element that names the one beside it, or may be named so. */
  #readSibling(tag: string, inner: Text, parent: Element): void {
    if (VALUES.test(tag)) parent.value = inner;
    if (!NAMING.test(tag)) return;
    const name = this.#text.slice(inner.from, inner.to);
    if (!this.#names.mayName(name)) return;
    if (parent.value === undefined) parent.nextName = name;
    else this.#add(name, parent.value);
    parent.value = undefined;
  }

  #add(name: string, text: Text | undefined): void {
    if (text !== undefined && this.#names.isCredential(name, this.#text.slice(text.from, text.to)))
      this.#secrets.push(text);
  }
}

/** The text between two tags, without white space around it; undefined where there is none. */
function innerOf(text: string, from: number, to: number): Text | undefined {
  const between = text.slice(from, to);
  const cdata = CDATA.exec(between);
  if (cdata !== null) return { from: from + (cdata[1]?.length ?? 0), to: to - (cdata[3]?.length ?? 0) };
  const trimmed = between.trim();
  if (trimmed === '') return undefined;
  const start = from + between.indexOf(trimmed);
  return { from: start, to: start + trimmed.length };
}

function attributeName(attributes: string): string | undefined {
  for (const [, name = '', double, single] of attributes.matchAll(ATTRIBUTE))
    if (NAMING.test(name)) return double ?? single;
  return undefined;
}

/** The values beside a naming attribute, in either order; `at` is where the attributes begin. */
function valuesOf(attributes: string, at: number): Text[] {
  const values: Text[] = [];
  for (const match of attributes.matchAll(ATTRIBUTE)) {
    const [whole, name = '', double, single] = match;
    if (!VALUES.test(name)) continue;
    const to = at + match.index + whole.length - 1;
    values.push({ from: to - (double ?? single ?? '').length, to });
  }
  return values;
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

function replaced(text: string, secret: readonly Text[], hide: Hide): string {
  let result = '';
  let done = 0;
  for (const { from, to } of [...secret].sort((a, b) => a.from - b.from)) {
    if (from < done) continue;
    result += text.slice(done, from) + hideWhole(text.slice(from, to), hide);
    done = to;
  }
  return result + text.slice(done);
}
