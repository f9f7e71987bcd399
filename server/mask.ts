import 'server-only';
import { type Change, type TemplateDiff } from '@/lib/diff/change';
import { diffInPieces } from '@/lib/diff/diff';
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
import { atOnce, type InPieces, Pace } from '@/lib/pieces';
import { commonNames } from '@/server/credential-name';
import { looksRandom } from '@/server/credential-shape';
import { hideInText, hideInWord, hidePrivateKeys, MARKER, toolOf } from '@/server/credential-text';
import { inTurns } from '@/server/in-turns';
import { type Keys } from '@/server/keys';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Deeper than any template; what lies below is hidden whole. */
const DEPTH_MAX = 64;

/** Texts are looked into up to this length; what a longer one holds is hidden whole. */
export const TEXT_CHARS_MAX = 32_768;

/** `names` and `hidesEnv` as they were configured; without them the common rules hold. */
type Marks = Pick<Keys, 'marker'> & Partial<Pick<Keys, 'names' | 'hidesEnv'>>;

function namesOf({ names = commonNames }: Marks) {
  return names;
}

type Sides = readonly [before: JsonObject, after: JsonObject];

/**
 * A copy of a template, or of any JSON object, that may leave the server: every value that looks like a credential is
 * replaced by its marker. Equal values have equal markers. Masking twice is masking once; the argument is not changed.
 */
export function maskTemplate(template: JsonObject, keys: Marks): JsonObject {
  return atOnce(maskInPieces(template, keys));
}

/** The same in pieces, for templates of any size. */
export function maskInPieces(template: JsonObject, keys: Marks): InPieces<JsonObject> {
  return maskObject(template, { keys, pace: new Pace() }, 0);
}

/** As {@link maskTemplate}, for any JSON value. */
export function maskJson(value: Json, keys: Marks): Json {
  return atOnce(maskJsonInPieces(value, keys));
}

/** The same in pieces. */
export function maskJsonInPieces(value: Json, keys: Marks): InPieces<Json> {
  return maskValue(value, { keys, pace: new Pace() }, 0);
}

/** Text of people and programs (causes, events, log lines, messages) with the credentials in it replaced. */
export function maskText(text: string, keys: Marks): string {
  return maskTextAt(text, keys, 0);
}

/** Lines of a log. As a whole first: a private key has several of them. */
export function maskLines(lines: readonly string[], keys: Marks): string[] {
  const pages: string[] = [];
  for (const line of hidePrivateKeys(lines.join('\n'), (key) => keys.marker(key)).split('\n')) {
    const page = pages.at(-1);
    if (page === undefined || page.length + line.length >= TEXT_CHARS_MAX) pages.push(line);
    else pages[pages.length - 1] = `${page}\n${line}`;
  }
  return pages.flatMap((page) => maskText(page, keys).split('\n')).map((line) => maskText(line, keys));
}

/** Annotations by name and value; `last-applied-configuration` is replaced whole. */
export function maskAnnotations(
  annotations: Readonly<Record<string, string>>,
  keys: Marks,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [name, maskNamedText(name, value, keys, 0)]),
  );
}

/** Whether a marker stands anywhere in it. Such a text was copied from an answer and must never be written. */
export function containsMarker(value: unknown): boolean {
  if (typeof value === 'string') return MARKER.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => MARKER.test(key) || containsMarker(member));
}

/**
 * The difference of two templates as it may leave the server: told on the masked sides, where a changed value is still
 * a changed marker. Where those seem equal, the verdict is that of the true ones: markers are short enough to collide.
 */
export function maskedDiff(keys: Marks, before: JsonObject, after: JsonObject): Promise<TemplateDiff> {
  return inTurns(maskedDiffInPieces(keys, before, after));
}

function* maskedDiffInPieces(keys: Marks, before: JsonObject, after: JsonObject): InPieces<TemplateDiff> {
  const masked = [yield* maskInPieces(before, keys), yield* maskInPieces(after, keys)] as const;
  return yield* diffOfMasked(keys, masked, () => [before, after]);
}

/** As {@link maskedDiff}, where the masked sides are known already; the true ones are asked for only if need be. */
export function* diffOfMasked(keys: Marks, masked: Sides, truth: () => Sides): InPieces<TemplateDiff> {
  const told = withoutFalseRisks(keys, yield* diffInPieces(...masked));
  if (!told.rawEqual && !told.equal) return told;
  const { equal, rawEqual } = yield* diffInPieces(...truth());
  return { ...told, equal, rawEqual };
}

/** Where all values of variables are hidden, a marker does not say that one was a credential. */
function withoutFalseRisks(keys: Marks, diff: TemplateDiff): TemplateDiff {
  if (keys.hidesEnv !== true) return diff;
  const isFalse = ({ risk, label }: Change) =>
    risk?.code === 'inline_secret' && !namesOf(keys).isCredentialName(label.replace(/^.*env /, ''));
  const changes = diff.changes.map((change) => (isFalse(change) ? { ...change, risk: null } : change));
  return { ...diff, changes };
}

/** One walk through a value. */
interface Walk {
  keys: Marks;
  pace: Pace;
}

function* maskValue(value: Json, walk: Walk, depth: number): InPieces<Json> {
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
): InPieces<Json> {
  const isText = (item: Json) => typeof item === 'string';
  if (list.every(isText)) return yield* maskWords(list, walk, depth, before.filter(isText));
  const masked: Json[] = [];
  for (const item of list) {
    if (walk.pace.isOver(item)) yield;
    masked.push(yield* maskValue(item, walk, depth + 1));
  }
  return masked;
}

/** Each word is told by the one before it as well, and by the program; `before` are the words of `command` before `args`. */
function* maskWords(
  list: readonly string[],
  { keys, pace }: Walk,
  depth: number,
  before: readonly string[],
): InPieces<string[]> {
  const masked: string[] = [];
  const names = namesOf(keys);
  const tool = toolOf([...before, ...list.slice(0, 6)]);
  for (const [index, word] of list.entries()) {
    if (pace.isOver(word)) yield;
    const place = { previous: list[index - 1] ?? before.at(-1) ?? '', tool };
    const hideText = (text: string) => maskTextAt(text, keys, depth);
    masked.push(hideInWord(word, place, names, hideText, (value) => keys.marker(value)));
  }
  return masked;
}

function* maskObject(object: JsonObject, walk: Walk, depth: number): InPieces<JsonObject> {
  const masked: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (walk.pace.isOver(value)) yield;
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
): InPieces<Json> {
  const { keys } = walk;
  if (object.kind === 'Secret' && SECRET_DATA.has(key)) return yield* hideMembers(value, walk);
  if (key === 'env' && keys.hidesEnv === true) return yield* hideEnv(value, walk);
  if (key === 'args' && Array.isArray(value) && Array.isArray(object.command))
    return yield* maskList(value, walk, depth, object.command);
  // An environment variable, a header and the like are named by a member beside the value.
  const sibling = key === 'value' ? (object.name ?? object.key) : undefined;
  if (typeof sibling !== 'string') return yield* maskMember(key, value, walk, depth);
  if (typeof value === 'string' && looksRandom(value)) return hideWhole(value, keys);
  return yield* maskMember(sibling, value, walk, depth);
}

/** Every literal value of environment variables, in a list as pods have it or in a map by their names. */
function* hideEnv(env: Json, walk: Walk): InPieces<Json> {
  if (!Array.isArray(env)) return yield* hideMembers(env, walk);
  const hidden: Json[] = [];
  for (const entry of env) {
    const value = isJsonObject(entry) ? entry.value : undefined;
    if (walk.pace.isOver(value ?? null)) yield;
    const isGiven = isJsonObject(entry) && value !== undefined;
    hidden.push(isGiven ? { ...entry, value: hideAny(value, walk.keys) } : entry);
  }
  return hidden;
}

function* maskMember(name: string, value: Json, walk: Walk, depth: number): InPieces<Json> {
  if (typeof value === 'string') return maskNamedText(name, value, walk.keys, depth);
  if (!namesOf(walk.keys).isCredentialName(name) || isReference(value))
    return yield* maskValue(value, walk, depth);
  return yield* hideAll(name, value, walk);
}

function maskNamedText(name: string, text: string, keys: Marks, depth: number): string {
  if (name === LAST_APPLIED) return hideWhole(text, keys);
  if (REFERENCE_FIELDS.test(name) || !namesOf(keys).isCredential(name, text))
    return maskTextAt(text, keys, depth);
  return hideWhole(text, keys);
}

/** Of a Secret that stands whole in something else, such as a component of an Application. */
const SECRET_DATA: ReadonlySet<string> = new Set(['data', 'stringData']);

/** Whether a Secret stands whole in it, with what it holds. */
export function holdsSecret(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false;
  // Nobody looks into what is deeper.
  if (depth > DEPTH_MAX) return true;
  if (Array.isArray(value)) return value.some((item) => holdsSecret(item, depth + 1));
  if (value.kind === 'Secret' && [...SECRET_DATA].some((key) => value[key] !== undefined)) return true;
  return Object.values(value).some((member) => member !== undefined && holdsSecret(member, depth + 1));
}

/** The names of what a Secret holds are no secret. */
function* hideMembers(value: Json, { keys, pace }: Walk): InPieces<Json> {
  if (!isJsonObject(value)) return hideAny(value, keys);
  const hidden: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if (pace.isOver(member)) yield;
    setMember(hidden, key, hideAny(member, keys));
  }
  return hidden;
}

function hideAny(value: Json, keys: Marks): Json {
  if (value === null) return value;
  return typeof value === 'string' ? hideWhole(value, keys) : keys.marker(JSON.stringify(value));
}

/** Fields of the pod API that name where a secret is kept. */
const REFERENCE_FIELDS =
  /^(?:[a-z][A-Za-z]*S|s)ecret(?:Name|File|Namespace|ProviderClass)$|^credentialBundlePath$|^gmsaCredentialSpec(?:Name)?$/;
const REFERENCE_MEMBERS = new Set(
  'name namespace key secretName items defaultMode optional path mode audience expirationSeconds'.split(' '),
);

/** Whether it only says where a secret is kept, as `secretKeyRef`, `imagePullSecrets` and volumes do. */
function isReference(value: Json): boolean {
  if (Array.isArray(value)) return value.every((item) => isJsonObject(item) && isReference(item));
  if (!isJsonObject(value)) return false;
  // Not by entries: there may be very many, and the first one that is none ends it.
  return Object.keys(value).every((key) => {
    const member = value[key];
    if (!REFERENCE_MEMBERS.has(key)) return false;
    return typeof member !== 'object' || member === null || isReference(member);
  });
}

function* hideAll(name: string, value: Json, walk: Walk): InPieces<Json> {
  const { keys, pace } = walk;
  if (pace.isOver(value)) yield;
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

function maskTextAt(text: string, keys: Marks, depth: number): string {
  if (isTooLong(text)) return keys.marker(text);
  const embedded = depth < DEPTH_MAX ? embeddedJson(text) : undefined;
  if (embedded === undefined) return hideInText(text, namesOf(keys), (value) => keys.marker(value));
  const masked = atOnce(maskValue(embedded, { keys, pace: new Pace() }, depth + 1));
  // Where nothing is masked the text stays as it was written.
  return deepEqual(embedded, masked) ? text : JSON.stringify(masked);
}

/** Markers don't count: a text that was masked must not become too long by that, or masking twice were no longer once. */
function isTooLong(text: string): boolean {
  if (text.length <= TEXT_CHARS_MAX) return false;
  if (text.length > TEXT_CHARS_MAX * MARKED_TIMES_MAX) return true;
  return text.replace(MARKERS, '').length > TEXT_CHARS_MAX;
}

const MARKERS = new RegExp(MARKER.source, 'g');

/** How many times as long a text may become by its markers: the shortest credential, with its name, has 4 characters. */
const MARKED_TIMES_MAX = 6;

function embeddedJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || isNestedDeeper(text, DEPTH_MAX)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function hideWhole(text: string, keys: Marks): string {
  return text === '' || isMarker(text) ? text : keys.marker(text);
}

function isMarker(text: string): boolean {
  return text.length === 17 && MARKER.test(text);
}
