import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { findMentions } from '@/lib/format/mentions';

/*
 * Sanitizes the HTML of a comment after its conversion from Markdown. Nothing is loaded from other hosts, nothing has
 * an id, and links lead only to the web, to mail or to pages of Shiplog.
 * https://github.com/syntax-tree/hast-util-sanitize
 */
const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: [
    ...[
      'a',
      'blockquote',
      'br',
      'code',
      'del',
      'em',
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'hr',
      'img',
      'input',
    ],
    ...['li', 'ol', 'p', 'pre', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
  ],
  attributes: {
    a: ['href'],
    img: ['src', 'alt'],
    input: [['type', 'checkbox'], 'checked'],
    ol: ['start'],
    td: ['align'],
    th: ['align'],
  },
  protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https'] },
  required: {},
};

const SAME_PAGE = /^\/(records|workloads|review|timeline)(\/|\?|$)/;

/** Allowed protocols of a link; scripts, data and others are not. */
function safeAddress(address: string): string {
  return /^(https?:\/\/|mailto:)/i.test(address) || SAME_PAGE.test(address) ? address : '';
}

function Address({ href, children }: { href: string | undefined; children?: React.ReactNode }) {
  if (href === undefined || href === '') return <span>{children}</span>;
  return (
    <a
      href={href}
      rel="noopener noreferrer nofollow"
      target={href.startsWith('/') ? undefined : '_blank'}
      className="text-accent underline decoration-line-2 underline-offset-2"
    >
      {children}
    </a>
  );
}

function Heading({ children }: { children?: React.ReactNode }) {
  return <p className="font-semibold text-ink">{children}</p>;
}

const components: Components = {
  a: ({ href, children }) => <Address href={href}>{children}</Address>,
  // An image would tell its host who reads this, and when.
  img: ({ src, alt }) => (
    <Address href={typeof src === 'string' ? src : undefined}>
      {alt === undefined || alt === '' ? 'picture' : alt}
    </Address>
  ),
  input: ({ checked }) => (
    <span role="img" aria-label={checked === true ? 'done:' : 'to do:'} className="mr-1.5 font-mono">
      {checked === true ? '☑' : '☐'}
    </span>
  ),
  // The page has its own outline.
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  p: ({ children }) => <p className="whitespace-pre-line">{children}</p>,
  ul: ({ children }) => <ul className="list-disc pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal pl-5">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-2 pl-3 text-ink-3">{children}</blockquote>
  ),
  code: ({ children }) => <code className="rounded-1 bg-fill px-1 font-mono text-code">{children}</code>,
  pre: ({ children }) => (
    <pre className="overflow-x-auto rounded-2 bg-sunken px-2.5 py-1.5 [&_code]:bg-transparent [&_code]:px-0">
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table className="text-small [&_td]:border-b [&_td]:border-hair [&_td]:py-0.5 [&_td]:pr-4 [&_th]:border-b [&_th]:border-line [&_th]:pr-4 [&_th]:text-start [&_th]:font-medium">
        {children}
      </table>
    </div>
  ),
  // The sanitized HTML has none: each is a mention.
  mark: ({ children }) => (
    <bdi className="rounded-2 bg-accent-soft px-1 font-medium text-accent">{children}</bdi>
  ),
  hr: () => <hr className="border-line" />,
};

const sanitize: [typeof rehypeSanitize, typeof schema] = [rehypeSanitize, schema];
const remarkPlugins: Options['remarkPlugins'] = [[remarkGfm, { singleTilde: false }]];

/** Markdown as inert HTML: no scripts, no styles, no images, no raw HTML. */
export function MarkdownView({ text, mentions: names = [] }: { text: string; mentions?: readonly string[] }) {
  const { text: marked, mentions } = withMentionTokens(text, names);
  const rehypePlugins: Options['rehypePlugins'] =
    mentions.length === 0 ? [sanitize] : [sanitize, [rehypeMentions, { mentions }]];
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={components}
      urlTransform={safeAddress}
    >
      {marked}
    </ReactMarkdown>
  );
}

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
function withMentionTokens(text: string, names: readonly string[]) {
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
function rehypeMentions({ mentions }: { mentions: readonly string[] }) {
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
