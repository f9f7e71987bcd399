import 'server-only';
import { type Change, type TemplateDiff } from '@/lib/diff/change';
import { diffInSlices } from '@/lib/diff/diff';
import {
  deepEqual,
  isJsonObject,
  isNestedDeeper,
  isRawNumber,
  type Json,
  type JsonObject,
  parseJson,
  setMember,
} from '@/lib/kube/json';
import { runToEnd, type Sliced, SliceBudget } from '@/lib/kube/slices';
import { commonNames } from '@/server/shared/credential-name';
import { looksRandom } from '@/server/shared/credential-shape';
import {
  hideInText,
  hideInWord,
  hidePrivateKeys,
  MARKER,
  credentialToolOf,
} from '@/server/shared/credential-text';
import { inSlices } from '@/server/shared/in-slices';
import { type Keys } from '@/server/shared/keys';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Deeper than any template; everything below is hidden. */
const DEPTH_MAX = 64;

/** Texts up to this length are searched; a longer one is hidden completely. */
export const TEXT_CHARS_MAX = 32_768;

/** `names` and `hidesEnv` as configured; without them the common rules apply. */
type MaskingKeys = Pick<Keys, 'marker'> & Partial<Pick<Keys, 'names' | 'hidesEnv'>>;

function namesOf({ names = commonNames }: MaskingKeys) {
  return names;
}

type Sides = readonly [before: JsonObject, after: JsonObject];

/**
 * A copy of a template, or of any JSON object, that may leave the server: every value that resembles a
 * credential is replaced by its marker. Equal values have equal markers. Masking twice equals masking once;
 * the argument is not changed.
 */
export function maskTemplate(template: JsonObject, keys: MaskingKeys): JsonObject {
  return runToEnd(maskInPieces(template, keys));
}

/** The same in slices, for templates of any size. */
export function maskInPieces(template: JsonObject, keys: MaskingKeys): Sliced<JsonObject> {
  return maskObject(template, { keys, pace: new SliceBudget() }, 0);
}

/** As {@link maskTemplate}, for any JSON value. */
export function maskJson(value: Json, keys: MaskingKeys): Json {
  return runToEnd(maskJsonInPieces(value, keys));
}

/** The same in slices. */
export function maskJsonInPieces(value: Json, keys: MaskingKeys): Sliced<Json> {
  return maskValue(value, { keys, pace: new SliceBudget() }, 0);
}

/**
 * Text of people and programs (change causes, events, log lines, messages) with the credentials in it
 * replaced.
 */
export function maskText(text: string, keys: MaskingKeys): string {
  return maskTextAt(text, keys, 0);
}

/** Lines of a log. First all together: a private key has several of them. */
export function maskLines(lines: readonly string[], keys: MaskingKeys): string[] {
  const pages: string[] = [];
  for (const line of hidePrivateKeys(lines.join('\n'), (key) => keys.marker(key)).split('\n')) {
    const page = pages.at(-1);
    if (page === undefined || page.length + line.length >= TEXT_CHARS_MAX) pages.push(line);
    else pages[pages.length - 1] = `${page}\n${line}`;
  }
  return pages.flatMap((page) => maskText(page, keys).split('\n')).map((line) => maskText(line, keys));
}

/** Annotations by name and value; `last-applied-configuration` is replaced completely. */
export function maskAnnotations(
  annotations: Readonly<Record<string, string>>,
  keys: MaskingKeys,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [name, maskNamedText(name, value, keys, 0)]),
  );
}

/** Whether it contains a marker. Such a text was copied from an answer and must never be written. */
export function containsMarker(value: unknown): boolean {
  if (typeof value === 'string') return MARKER.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => MARKER.test(key) || containsMarker(member));
}

/**
 * The difference of two templates as it may leave the server: computed on the masked sides, where a changed
 * value is still a changed marker. Where those seem equal, the unmasked sides decide: markers are short
 * enough to collide.
 */
export function maskedDiff(keys: MaskingKeys, before: JsonObject, after: JsonObject): Promise<TemplateDiff> {
  return inSlices(maskedDiffInPieces(keys, before, after));
}

function* maskedDiffInPieces(keys: MaskingKeys, before: JsonObject, after: JsonObject): Sliced<TemplateDiff> {
  const masked = [yield* maskInPieces(before, keys), yield* maskInPieces(after, keys)] as const;
  return yield* diffOfMasked(keys, masked, () => [before, after]);
}

/**
 * As {@link maskedDiff}, where the masked sides are known already; the unmasked ones are requested only if
 * needed.
 */
export function* diffOfMasked(keys: MaskingKeys, masked: Sides, unmasked: () => Sides): Sliced<TemplateDiff> {
  const diff = withoutFalseRisks(keys, yield* diffInSlices(...masked));
  if (!diff.rawEqual && !diff.equal) return diff;
  const { equal, rawEqual } = yield* diffInSlices(...unmasked());
  return { ...diff, equal, rawEqual };
}

/** Where all values of variables are hidden, a marker does not prove that one was a credential. */
function withoutFalseRisks(keys: MaskingKeys, diff: TemplateDiff): TemplateDiff {
  if (keys.hidesEnv !== true) return diff;
  const isFalse = ({ risk, label }: Change) =>
    risk?.code === 'inline_secret' && !namesOf(keys).isCredentialName(label.replace(/^.*env /, ''));
  const changes = diff.changes.map((change) => (isFalse(change) ? { ...change, risk: null } : change));
  return { ...diff, changes };
}

/** One walk through a value. */
interface Walk {
  keys: MaskingKeys;
  pace: SliceBudget;
}

function* maskValue(value: Json, walk: Walk, depth: number): Sliced<Json> {
  if (typeof value === 'string') return maskTextAt(value, walk.keys, depth);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (depth > DEPTH_MAX) return walk.keys.marker(JSON.stringify(value));
  if (Array.isArray(value)) return yield* maskList(value, walk, depth);
  return yield* maskObject(value, walk, depth);
}

function* maskList(
  list: readonly Json[],
  walk: Walk,
  depth: number,
  before: readonly Json[] = [],
): Sliced<Json> {
  const isText = (item: Json) => typeof item === 'string';
  if (list.every(isText)) return yield* maskWords(list, walk, depth, before.filter(isText));
  const masked: Json[] = [];
  for (const item of list) {
    if (walk.pace.isExhausted(item)) yield;
    masked.push(yield* maskValue(item, walk, depth + 1));
  }
  return masked;
}

/**
 * The previous word and the program help to classify each word; `before` are the words of `command` before
 * `args`.
 */
function* maskWords(
  list: readonly string[],
  { keys, pace }: Walk,
  depth: number,
  before: readonly string[],
): Sliced<string[]> {
  const masked: string[] = [];
  const names = namesOf(keys);
  const tool = credentialToolOf([...before, ...list.slice(0, 6)]);
  for (const [index, word] of list.entries()) {
    if (pace.isExhausted(word)) yield;
    const context = { previous: list[index - 1] ?? before.at(-1) ?? '', tool };
    const hideText = (text: string) => maskTextAt(text, keys, depth);
    masked.push(hideInWord(word, context, names, hideText, (value) => keys.marker(value)));
  }
  return masked;
}

function* maskObject(object: JsonObject, walk: Walk, depth: number): Sliced<JsonObject> {
  const masked: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (walk.pace.isExhausted(value)) yield;
    setMember(masked, key, yield* maskedMember(object, key, value, walk, depth + 1));
  }
  return masked;
}

function* maskedMember(
  object: JsonObject,
  key: string,
  value: Json,
  walk: Walk,
  depth: number,
): Sliced<Json> {
  const { keys } = walk;
  if (object.kind === 'Secret' && SECRET_DATA.has(key)) return yield* hideMembers(value, walk);
  if (key === 'env' && keys.hidesEnv === true) return yield* hideEnv(value, walk);
  if (key === 'args' && Array.isArray(value) && Array.isArray(object.command))
    return yield* maskList(value, walk, depth, object.command);
  // The name of an environment variable, a header and the like is a member beside the value.
  const sibling = key === 'value' ? (object.name ?? object.key) : undefined;
  if (typeof sibling !== 'string') return yield* maskMember(key, value, walk, depth);
  if (typeof value === 'string' && looksRandom(value)) return hideWhole(value, keys);
  return yield* maskMember(sibling, value, walk, depth);
}

/** Every literal value of environment variables, in a list as pods have it or in a map by their names. */
function* hideEnv(env: Json, walk: Walk): Sliced<Json> {
  if (!Array.isArray(env)) return yield* hideMembers(env, walk);
  const hidden: Json[] = [];
  for (const entry of env) {
    const value = isJsonObject(entry) ? entry.value : undefined;
    if (walk.pace.isExhausted(value ?? null)) yield;
    const isGiven = isJsonObject(entry) && value !== undefined;
    hidden.push(isGiven ? { ...entry, value: hideAny(value, walk.keys) } : entry);
  }
  return hidden;
}

function* maskMember(name: string, value: Json, walk: Walk, depth: number): Sliced<Json> {
  if (typeof value === 'string') return maskNamedText(name, value, walk.keys, depth);
  if (!namesOf(walk.keys).isCredentialName(name) || isReference(value))
    return yield* maskValue(value, walk, depth);
  return yield* hideAll(name, value, walk);
}

function maskNamedText(name: string, text: string, keys: MaskingKeys, depth: number): string {
  if (name === LAST_APPLIED) return hideWhole(text, keys);
  if (REFERENCE_FIELDS.test(name) || !namesOf(keys).isCredential(name, text))
    return maskTextAt(text, keys, depth);
  return hideWhole(text, keys);
}

/** Of a complete Secret inside another object, such as a component of an Application. */
const SECRET_DATA: ReadonlySet<string> = new Set(['data', 'stringData']);

/** Whether it contains a complete Secret with its data. */
export function holdsSecret(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false;
  // Deeper values are never read.
  if (depth > DEPTH_MAX) return true;
  if (Array.isArray(value)) return value.some((item) => holdsSecret(item, depth + 1));
  if (value.kind === 'Secret' && [...SECRET_DATA].some((key) => value[key] !== undefined)) return true;
  return Object.values(value).some((member) => member !== undefined && holdsSecret(member, depth + 1));
}

/** The names of a Secret's data are not secret. */
function* hideMembers(value: Json, { keys, pace }: Walk): Sliced<Json> {
  if (!isJsonObject(value)) return hideAny(value, keys);
  const hidden: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if (pace.isExhausted(member)) yield;
    setMember(hidden, key, hideAny(member, keys));
  }
  return hidden;
}

function hideAny(value: Json, keys: MaskingKeys): Json {
  if (value === null) return value;
  return typeof value === 'string' ? hideWhole(value, keys) : keys.marker(JSON.stringify(value));
}

/** Fields of the pod API that name the location of a secret. */
const REFERENCE_FIELDS =
  /^(?:[a-z][A-Za-z]*S|s)ecret(?:Name|File|Namespace|ProviderClass)$|^credentialBundlePath$|^gmsaCredentialSpec(?:Name)?$/;
const REFERENCE_MEMBERS = new Set(
  'name namespace key secretName items defaultMode optional path mode audience expirationSeconds'.split(' '),
);

/** Whether it only names the location of a secret, as `secretKeyRef`, `imagePullSecrets` and volumes do. */
function isReference(value: Json): boolean {
  if (Array.isArray(value)) return value.every((item) => isJsonObject(item) && isReference(item));
  if (!isJsonObject(value)) return false;
  // Not by entries: there may be very many, and the first other one ends the loop.
  return Object.keys(value).every((key) => {
    const member = value[key];
    if (!REFERENCE_MEMBERS.has(key)) return false;
    return typeof member !== 'object' || member === null || isReference(member);
  });
}

function* hideAll(name: string, value: Json, walk: Walk): Sliced<Json> {
  const { keys, pace } = walk;
  if (pace.isExhausted(value)) yield;
  if (typeof value === 'string')
    return namesOf(keys).isCredential(name, value) ? hideWhole(value, keys) : value;
  if (typeof value === 'number')
    return namesOf(keys).isCredential(name, String(value)) ? keys.marker(String(value)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isRawNumber(value)) return keys.marker(value.rawJSON);
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (const item of value) list.push(yield* hideAll(name, item, walk));
    return list;
  }
  const hidden: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) setMember(hidden, key, yield* hideAll(name, member, walk));
  }
  return hidden;
}

function maskTextAt(text: string, keys: MaskingKeys, depth: number): string {
  if (isTooLong(text)) return keys.marker(text);
  const embedded = depth < DEPTH_MAX ? embeddedJson(text) : undefined;
  if (embedded === undefined) return hideInText(text, namesOf(keys), (value) => keys.marker(value));
  const masked = runToEnd(maskValue(embedded, { keys, pace: new SliceBudget() }, depth + 1));
  // Where nothing is masked the text remains as it was written.
  return deepEqual(embedded, masked) ? text : JSON.stringify(masked);
}

/**
 * Markers don't count: masking must not make a text too long, or masking twice would no longer equal masking
 * once.
 */
function isTooLong(text: string): boolean {
  if (text.length <= TEXT_CHARS_MAX) return false;
  if (text.length > TEXT_CHARS_MAX * MARKER_GROWTH_MAX) return true;
  return text.replace(MARKERS, '').length > TEXT_CHARS_MAX;
}

const MARKERS = new RegExp(MARKER.source, 'g');

/**
 * The factor by which markers may lengthen a text: the shortest credential, with its name, has 4 characters.
 */
const MARKER_GROWTH_MAX = 6;

function embeddedJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || isNestedDeeper(text, DEPTH_MAX)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function hideWhole(text: string, keys: MaskingKeys): string {
  return text === '' || isMarker(text) ? text : keys.marker(text);
}

function isMarker(text: string): boolean {
  return text.length === 17 && MARKER.test(text);
}
