import { DEPTH_MAX, isRawNumber, type Json, type JsonObject, parseJson } from '@/lib/kube/json';

/**
 * A template lies a few levels down in an answer, so a template that was cut is still deeper than its own
 * limit.
 */
export const ANSWER_DEPTH_MAX = DEPTH_MAX + 50;

/**
 * Parses JSON of the API server, which accepts 10,000 levels. Values nested deeper than in any real object
 * become null, so that callers can recurse and one hostile object doesn't fail a whole list. Throws
 * SyntaxError as {@link parseJson} does.
 */
export function parseAnswer(text: string): Json {
  const answer = parse(text);
  if (typeof answer === 'object' && answer !== null) nullifyDeeper(answer, ANSWER_DEPTH_MAX);
  return answer;
}

function parse(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    // Where numbers are preserved literally, the engine itself recurses.
    if (error instanceof RangeError) return parseJson(withoutDeeper(text, ANSWER_DEPTH_MAX));
    throw error;
  }
}

/** Changes the value in place: no one else holds the answer. */
function nullifyDeeper(value: Json[] | JsonObject, levels: number): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      if (typeof item === 'object' && item !== null && !isWithinDepth(item, levels)) value[index] = null;
    return;
  }
  for (const key in value) {
    const member = value[key];
    if (typeof member === 'object' && member !== null && !isWithinDepth(member, levels)) value[key] = null;
  }
}

function isWithinDepth(value: Json[] | JsonObject, levels: number): boolean {
  if (levels === 1) return isRawNumber(value);
  nullifyDeeper(value, levels - 1);
  return true;
}

/** The same text with null for each list and object that is nested deeper. */
function withoutDeeper(text: string, depthMax: number): string {
  let flat = '';
  let copied = 0;
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character === '\\') at += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth === depthMax + 1) flat += `${text.slice(copied, at)}null`;
    } else if (character === ']' || character === '}') {
      depth -= 1;
      if (depth === depthMax) copied = at + 1;
    }
  }
  return flat + text.slice(copied);
}
