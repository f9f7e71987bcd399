import { findMentions } from '@/lib/format/mentions';

/*
 * Mentions in Markdown. A name may have signs that Markdown gives a meaning, and one with an `@` would become the link
 * of an address: so the parser gets a token in place of each, and the names are put back into what it has made.
 */

/** Of the private use area: an `@` with its name, by number. */
const TOKEN = /\uE000(\d+)\uE001/g;

/** A part of the tree of HTML that the parser has made. */
interface Node {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

/** The text with tokens, and what they stand for. A text that has such signs of its own gets none. */
export function withMentionTokens(text: string, names: readonly string[]) {
  if (/[\uE000\uE001]/.test(text)) return { text, mentions: [] };
  const ranges = findMentions(text, names);
  let end = 0;
  let marked = '';
  for (const [index, range] of ranges.entries()) {
    marked += `${text.slice(end, range.start)}\uE000${index}\uE001`;
    end = range.end;
  }
  return {
    text: marked + text.slice(end),
    mentions: ranges.map((range) => text.slice(range.start, range.end)),
  };
}

/** Replaces the tokens: by `mark` elements in text, and by what was written in code and in attributes. */
export function rehypeMentions({ mentions }: { mentions: readonly string[] }) {
  const restored = (text: string) => text.replace(TOKEN, (_, index: string) => mentions[Number(index)] ?? '');

  function replace(node: Node, isCode: boolean): Node[] {
    if (node.type === 'text' && node.value !== undefined)
      return isCode ? [{ ...node, value: restored(node.value) }] : splitText(node.value);
    if (node.properties !== undefined)
      for (const [name, value] of Object.entries(node.properties))
        if (typeof value === 'string') node.properties[name] = restored(value);
    const isInCode = isCode || node.tagName === 'code';
    if (node.children !== undefined)
      node.children = node.children.flatMap((child) => replace(child, isInCode));
    return [node];
  }

  function splitText(value: string): Node[] {
    // The numbers of the tokens are at the odd places.
    return value.split(TOKEN).flatMap((part, index): Node[] => {
      if (index % 2 === 0) return part === '' ? [] : [{ type: 'text', value: part }];
      const children = [{ type: 'text', value: mentions[Number(part)] ?? '' }];
      return [{ type: 'element', tagName: 'mark', properties: {}, children }];
    });
  }

  return (tree: Node) => void replace(tree, false);
}
