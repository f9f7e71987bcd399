import { resolve } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { messageOf } from '@/lib/errors';
import { cutLine, toLine } from '@/lib/format/message-line';
import {
  type ClusterEntry,
  type ClusterSource,
  type EntryDefaults,
  personCredentials,
} from '@/server/shared/cluster-entry';
import { ConfigError } from '@/server/shared/config-error';
import { commonNames } from '@/server/shared/masking/credential-name';
import { hideInText } from '@/server/shared/masking/credential-text';
import { linkTemplates } from '@/server/shared/link-template';
import { isNamespace, linkExpected, problemOfLink } from '@/server/shared/variables';

/** A file of clusters, as docs/clusters.md describes it. */
export interface ClustersFile {
  readonly entries: readonly ClusterEntry[];
  /** Null: the clusters of the file are all there are. */
  readonly discovery: Discovery | null;
}

/** Labelled Secrets, each of which is a cluster. */
export interface Discovery {
  readonly labelSelector: string;
  readonly defaults: EntryDefaults;
}

/** Each cluster takes memory and connections of this process. */
export const CLUSTERS_MAX = 200;
export const FILE_BYTES_MAX = 1_000_000;
const SHOWN_CHARS_MAX = 60;
/** One mistake has many consequences for the parser. */
const SYNTAX_PROBLEMS_MAX = 5;

const nameExpected = '1 to 40 characters of a-z, 0-9, and "-", and neither "pod" nor "live"';
const stageExpected = '1 to 40 characters of a-z, 0-9, and "-"';
const titleExpected = 'text of 1 to 100 characters on one line';
const tooLong = `The file is longer than ${FILE_BYTES_MAX / 1_000_000} MB.`;
const listExpected = `a list of at most ${CLUSTERS_MAX} clusters`;
const sourceExpected =
  'one of {inCluster: true}, {kubeconfig: path, context: name}, and {secret: {name: name}}';

/** Members that are planned; the error says so much instead of a list of the known ones. */
const unsupported = new Set(['argocd', 'clusterProfiles']);
/** In the address of a comparison these begin a reference: `live`, `pod:cart-7d9f`. */
const reservedNames = new Set(['pod', 'live']);

/** Whether it can name a cluster in URLs, filters, and metrics. */
export function isClusterName(text: string): boolean {
  return isStage(text) && !reservedNames.has(text);
}

export function isStage(text: string): boolean {
  return /^[a-z0-9-]{1,40}$/.test(text);
}

export function isTitle(text: string): boolean {
  return /^[^\p{Cc}\u2028\u2029]{1,100}$/u.test(text) && text.trim() !== '';
}

const clusterName = textLike(isClusterName, nameExpected);
const stage = textLike(isStage, stageExpected);
const clusterId = textLike((text) => /^[A-Za-z0-9-]{1,64}$/.test(text), '1 to 64 letters, digits, and "-"');
const namespaces = listOf(textLike(isNamespace, 'the name of a namespace'), 'a list of namespaces');
const flag = z.boolean({ error: 'true or false' });
const path = textLike((text) => text.trim() !== '', 'the path of a file');

const link = z.string({ error: linkExpected }).superRefine((template, context) => {
  const problem = problemOfLink(template);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', message: `${problem}; it must be ${linkExpected}` });
});
const links = mapping({
  logs: link.optional(),
  metrics: link.optional(),
  commit: link.optional(),
  argocd: link.optional(),
});

const secretName = textLike(
  (text) => /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text),
  'the name of a Secret in the namespace of Shiplog',
);
const sourceMembers = {
  inCluster: z.literal(true, { error: 'true' }).optional(),
  kubeconfig: path.optional(),
  context: textLike((text) => text !== '', 'the name of a context').optional(),
  secret: mapping({ name: secretName }).optional(),
};
const source = mapping(sourceMembers, sourceExpected).superRefine(
  ({ inCluster, kubeconfig, secret, context: name }, context) => {
    const sources = [inCluster, kubeconfig, secret].filter((member) => member !== undefined);
    const problem =
      sources.length !== 1
        ? `names ${sources.length === 0 ? 'no' : 'more than one'} source`
        : name !== undefined && kubeconfig === undefined
          ? 'has a context without a kubeconfig'
          : undefined;
    if (problem !== undefined)
      context.addIssue({ code: 'custom', message: `${problem}; it must be ${sourceExpected}` });
  },
);

const argocdMembers = {
  namespaces: namespaces.min(1, { error: 'a list of namespaces' }).optional(),
  cluster: clusterName.optional(),
};

const prefix = z.string({ error: 'text' });
const defaultMembers = {
  stage: stage.optional(),
  namespaces: namespaces.optional(),
  readOnly: flag.optional(),
  credential: z.enum(personCredentials, { error: personCredentials.join(' or ') }).optional(),
  identity: mapping({ usernamePrefix: prefix.optional(), groupsPrefix: prefix.optional() }).optional(),
  links: links.optional(),
  argocd: mapping(argocdMembers).optional(),
};
const clusterDefaults = mapping(defaultMembers);
/** Anyone who can create Secrets adds clusters: they get the tokens of people only where this says so. */
const discoveredSecrets = mapping({
  labelSelector: textLike((text) => text.trim() !== '', 'a label selector, such as shiplog.dev/cluster'),
  credential: defaultMembers.credential,
});

const cluster = mapping({
  name: clusterName,
  title: textLike(isTitle, titleExpected).optional(),
  source,
  ...defaultMembers,
  argocd: mapping({
    ...argocdMembers,
    name: textLike(isTitle, 'what Argo CD calls the cluster').optional(),
  }).optional(),
  formerNames: listOf(clusterName, 'a list of names').optional(),
  id: clusterId.optional(),
});

const file = mapping({
  apiVersion: z.literal('shiplog.dev/v1', { error: 'shiplog.dev/v1' }),
  clusters: listOf(cluster, listExpected).max(CLUSTERS_MAX, { error: listExpected }).optional(),
  defaults: clusterDefaults.optional(),
  discover: mapping({ secrets: discoveredSecrets.optional() }).optional(),
});

/** What differs between entries, as far as it is valid: the rest of the file may have problems of its own. */
const validParts = z.object({
  name: clusterName.optional().catch(undefined),
  formerNames: z.array(clusterName.optional().catch(undefined)).catch([]),
  id: clusterId.optional().catch(undefined),
});
const invalid = { formerNames: [] };
const validPartsOfFile = z
  .object({
    clusters: z.array(validParts.catch(invalid)).default([]).catch([invalid]),
    discover: z.unknown().optional(),
  })
  .catch({ clusters: [invalid] });

type Path = readonly PropertyKey[];
/** A path with the line that it is at. */
type Locate = (path: Path) => string;

/**
 * The clusters of the text of a file. Relative paths start at `folder`, the file's own. `outer` applies where the file
 * states nothing; if it is read-only, every entry is. Throws one ConfigError that lists every problem with its line.
 */
export function parseClustersFile(text: string, folder: string, outer: EntryDefaults): ClustersFile {
  if (Buffer.byteLength(text) > FILE_BYTES_MAX) throw new ConfigError([tooLong]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error' });
  const content = contentOf(document);
  const parsed = file.safeParse(content, { reportInput: true });
  const locate: Locate = (path) => `${nameOf(path)} (line ${lineOf(path, document, lines)})`;
  const problems = [
    ...(parsed.error?.issues ?? []).flatMap((issue) => problemsOf(issue, locate)),
    ...problemsAcross(content, locate),
  ];
  if (parsed.data === undefined || problems.length > 0) throw new ConfigError(problems);
  const { clusters = [], defaults = {}, discover } = parsed.data;
  const inner = withDefaults(defaults, outer, outer.readOnly);
  return {
    entries: clusters.map(({ name, title = name, formerNames = [], id = null, ...cluster }) => ({
      name,
      title,
      formerNames,
      source: sourceOf(cluster.source, folder),
      id,
      ...withDefaults(cluster, inner, outer.readOnly),
    })),
    discovery: discover?.secrets === undefined ? null : discoveryOf(discover.secrets, inner),
  };
}

function discoveryOf(
  { labelSelector, credential = 'impersonate' }: z.output<typeof discoveredSecrets>,
  defaults: EntryDefaults,
): Discovery {
  return { labelSelector, defaults: { ...defaults, credential } };
}

function withDefaults(
  {
    stage,
    namespaces,
    readOnly,
    credential,
    identity,
    links = {},
    argocd,
  }: z.output<typeof clusterDefaults> | z.output<typeof cluster>,
  defaults: EntryDefaults,
  mustBeReadOnly: boolean,
): EntryDefaults {
  return {
    stage: stage ?? defaults.stage,
    namespaces: namespaces === undefined ? defaults.namespaces : [...new Set(namespaces)],
    readOnly: mustBeReadOnly || (readOnly ?? defaults.readOnly),
    credential: credential ?? defaults.credential,
    identity: { ...defaults.identity, ...identity },
    links: linkTemplates(links, defaults.links),
    argocd: { ...defaults.argocd, ...argocd },
  };
}

/** The schema has exactly one of them. */
function sourceOf({ kubeconfig, context, secret }: z.output<typeof source>, folder: string): ClusterSource {
  if (secret !== undefined) return { kind: 'secret', name: secret.name };
  if (kubeconfig === undefined) return { kind: 'in_cluster' };
  const files = [resolve(folder, kubeconfig)];
  return { kind: 'kubeconfig', files, ...(context !== undefined && { context }) };
}

/** Throws ConfigError where the text is not YAML. */
function contentOf(document: Document): unknown {
  try {
    if (document.errors.length === 0) return document.toJS();
  } catch (error) {
    throw new ConfigError([`The file is not valid YAML: ${messageOf(error)}.`]);
  }
  const messages = document.errors.map(({ message }) => message.split('\n', 1)[0]?.replace(/:$/, '') ?? '');
  throw new ConfigError(
    messages.slice(0, SYNTAX_PROBLEMS_MAX).map((message) => `The file is not valid YAML: ${message}.`),
  );
}

/** Messages of the schema say what is expected; those of refinements, what is wrong as well. */
function problemsOf(issue: z.core.$ZodIssue, locate: Locate): string[] {
  const { path, message, input } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const where = locate([...path, key]);
      return unsupported.has(key)
        ? `${where} is not supported; remove it.`
        : `${where} is unknown; ${message}.`;
    });
  }
  if (issue.code === 'custom') return [`${locate(path)} ${message}.`];
  return [`${locate(path)} is ${shown(input)}; it must be ${message}.`];
}

function* problemsAcross(content: unknown, locate: Locate): Generator<string> {
  const { clusters, discover } = validPartsOfFile.parse(content);
  if (clusters.length === 0 && !discover)
    yield 'The file names no cluster; add one to clusters, or set discover.secrets.labelSelector.';
  const names = clusters.flatMap(({ name, formerNames }, index) => [
    { text: name, path: ['clusters', index, 'name'] },
    ...formerNames.map((text, position) => ({ text, path: ['clusters', index, 'formerNames', position] })),
  ]);
  const ids = clusters.map(({ id }, index) => ({ text: id, path: ['clusters', index, 'id'] }));
  yield* duplicatesOf(names, locate);
  yield* duplicatesOf(ids, locate);
}

function* duplicatesOf(
  members: readonly { text: string | undefined; path: Path }[],
  locate: Locate,
): Generator<string> {
  const first = new Map<string, Path>();
  for (const { text, path } of members) {
    if (text === undefined) continue;
    const other = first.get(text);
    if (other === undefined) first.set(text, path);
    else yield `${locate(path)} is "${text}", which is also ${locate(other)}; it must be another.`;
  }
}

/** `clusters[2].source.context` */
function nameOf(path: Path): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'The file' : text.slice(1);
}

/** Where the member is, or what it is missing from. */
function lineOf(path: Path, document: Document, lines: LineCounter): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function shown(input: unknown): string {
  if (input === undefined) return 'missing';
  if (input === null) return 'empty';
  if (Array.isArray(input)) return `a list of ${input.length}`;
  if (typeof input === 'object') return 'a mapping';
  if (typeof input !== 'string') return JSON.stringify(input);
  const text = hideInText(input, commonNames, () => '[redacted]');
  return `"${cutLine(toLine(text), SHOWN_CHARS_MAX)}"`;
}

/** A string that is accepted; `expected` is the end of a sentence that begins with "it must be". */
function textLike(accepts: (text: string) => boolean, expected: string) {
  return z.stringFormat('text', accepts, { error: expected });
}

function listOf<Schema extends z.ZodType>(schema: Schema, expected: string) {
  return z.array(schema, { error: expected });
}

/** An object without other members than these. */
function mapping<Shape extends z.ZodRawShape>(shape: Shape, expected?: string) {
  const members = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `known are ${members}` : (expected ?? `a mapping with ${members}`),
  });
}
