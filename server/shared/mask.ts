import 'server-only';
import type { Change, TemplateChanges, TemplateDiff } from '@/lib/diff/change';
import { changesInSlices, compareInSlices, diffInSlices } from '@/lib/diff/diff';
import { normalizeTemplate } from '@/lib/diff/normalize';
import { type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { exceedsSlice, runToEnd, type Sliced, SliceBudget } from '@/lib/kube/slices';
import type { Answer } from '@/lib/api/common';
import type { relatedRolloutSchema } from '@/lib/api/diff';
import type { Masked } from '@/lib/masked';
import { formatSentence, type Sentence } from '@/lib/sentence';
import { hidePrivateKeys } from '@/server/shared/masking/credential-text';
import { inSlices } from '@/server/shared/in-slices';
import { MARKER } from '@/server/shared/masking/hide';
import {
  maskNamedText,
  maskObject,
  maskText,
  maskValue,
  PlainTexts,
  type Rules,
  TEXT_CHARS_MAX,
  type Walk,
} from '@/server/shared/masking/json-walk';

/** More take several turns of the event loop. */
const ANNOTATIONS_AT_ONCE = 1_000;

interface ContainerImage {
  readonly container: string;
  readonly image: string;
}

interface MaskedImage {
  container: string;
  image: Masked<string>;
}

type Annotations = Readonly<Record<string, string>>;
type MaskedAnnotations = Masked<Record<string, string>>;
/** `null` has no brand, and holds nothing. */
type MaskedJson = Masked<NonNullable<Json>> | null;

/**
 * The one gate out: turns what the cluster or the archive has into what people may read. Masking twice equals
 * masking once, and no argument is changed.
 */
export class Mask {
  readonly #rules: Rules;
  readonly #prepared = new WeakMap<Annotations, MaskedAnnotations | Promise<void>>();

  constructor(rules: Omit<Rules, 'plainTexts'>) {
    this.#rules = { ...rules, plainTexts: new PlainTexts() };
  }

  /** Text of people and programs, such as change causes, events and messages; of a sentence of ours, its data. */
  text(text: string | Sentence): Masked<string>;
  text(text: string | Sentence | null): Masked<string> | null;
  text(text: string | Sentence | null): Masked<string> | null {
    if (text === null) return null;
    const mask = (data: string) => maskText(data, this.#rules, 0);
    return (typeof text === 'string' ? mask(text) : formatSentence(text, mask)) as Masked<string>;
  }

  /** Lines of a log. First all together: a private key has several of them. */
  lines(lines: readonly string[]): Masked<string>[] {
    const pages: string[] = [];
    for (const line of hidePrivateKeys(lines.join('\n'), this.#rules.marker).split('\n')) {
      const page = pages.at(-1);
      if (page === undefined || page.length + line.length >= TEXT_CHARS_MAX) pages.push(line);
      else pages[pages.length - 1] = `${page}\n${line}`;
    }
    return pages.flatMap((page) => this.text(page).split('\n')).map((line) => this.text(line));
  }

  images(images: readonly ContainerImage[]): MaskedImage[] {
    return images.map(({ container, image }) => ({ container, image: this.text(image) }));
  }

  /**
   * Annotations or labels, by name and value; `last-applied-configuration` is replaced completely. Whoever can wait
   * awaits {@link prepare} first.
   */
  annotations(annotations: Annotations): MaskedAnnotations {
    const known = this.#prepared.get(annotations);
    if (known !== undefined && !(known instanceof Promise)) return known;
    return runToEnd(this.#annotationsInSlices(annotations));
  }

  /**
   * Masks very many annotations or labels in slices, so that {@link annotations} has them at once. Null: they are few,
   * or prepared.
   */
  prepare(annotations: Annotations): Promise<void> | null {
    const known = this.#prepared.get(annotations);
    if (known instanceof Promise) return known;
    if (known !== undefined || !hasMoreMembers(annotations, ANNOTATIONS_AT_ONCE)) return null;
    const masked = inSlices(this.#annotationsInSlices(annotations)).then((done) => {
      this.#prepared.set(annotations, done);
    });
    this.#prepared.set(annotations, masked);
    return masked;
  }

  *#annotationsInSlices(annotations: Annotations): Sliced<MaskedAnnotations> {
    const { rules, pace } = this.#walk();
    const masked: Record<string, string> = {};
    for (const name in annotations) {
      const value = annotations[name];
      if (value === undefined) continue;
      if (pace.isExhausted(value)) yield;
      setMember(masked, name, maskNamedText(name, value, rules, 0));
    }
    return masked as MaskedAnnotations;
  }

  /** A template, or any JSON object, in slices: it may be of any size. */
  template(template: JsonObject): Promise<Masked<JsonObject>> {
    return inSlices(this.templateInSlices(template));
  }

  /** The same as a part of other work. */
  *templateInSlices(template: JsonObject): Sliced<Masked<JsonObject>> {
    return (yield* maskObject(template, this.#walk(), 0)) as Masked<JsonObject>;
  }

  /** Any JSON value, in slices. */
  *jsonInSlices(value: Json): Sliced<MaskedJson> {
    return (yield* maskValue(value, this.#walk(), 0)) as MaskedJson;
  }

  /** A small JSON value, at once. */
  json(value: Json): MaskedJson {
    return runToEnd(this.jsonInSlices(value));
  }

  /** The difference of two templates: that of their masked sides, where a changed value has another marker. */
  diff(before: JsonObject, after: JsonObject): Promise<TemplateDiff> {
    return inSlices(this.#diffInSlices(before, after));
  }

  *#diffInSlices(before: JsonObject, after: JsonObject): Sliced<TemplateDiff> {
    const masked = [yield* this.templateInSlices(before), yield* this.templateInSlices(after)] as const;
    return yield* this.diffOfMasked(masked, () => [before, after]);
  }

  /**
   * As {@link diff}, where the masked sides are known already. Where those seem equal, the unmasked sides
   * decide, which are requested only then: markers are short enough to collide.
   */
  *diffOfMasked(
    masked: readonly [before: Masked<JsonObject>, after: Masked<JsonObject>],
    unmasked: () => readonly [before: JsonObject, after: JsonObject],
  ): Sliced<TemplateDiff> {
    const diff = yield* diffInSlices(...masked);
    const shown = this.#withoutFalseRisks(diff) as TemplateDiff;
    if (!diff.rawEqual && !diff.equal) return shown;
    return { ...shown, ...(yield* compareInSlices(...unmasked())) };
  }

  /** Where all values of variables are hidden, a marker does not prove that one was a credential. */
  #withoutFalseRisks<Found extends Pick<TemplateDiff<string>, 'changes'>>(diff: Found): Found {
    const { hidesEnv, names } = this.#rules;
    if (!hidesEnv) return diff;
    const isFalse = ({ risk, label }: Change) =>
      risk?.code === 'inline_secret' && !names.isCredentialName(label.replace(/^.*env /, ''));
    const changes = diff.changes.map((change) => (isFalse(change) ? { ...change, risk: null } : change));
    return { ...diff, changes };
  }

  /** A template as {@link changesOfNormalized} compares it: masked and in its normal form. */
  *normalizedInSlices(template: JsonObject): Sliced<Masked<JsonObject>> {
    const masked = yield* this.templateInSlices(template);
    if (exceedsSlice(masked)) yield;
    return normalizeTemplate(masked);
  }

  /** What differs in meaning between two sides, without a verdict on their bytes. */
  *changesOfNormalized(before: Masked<JsonObject>, after: Masked<JsonObject>): Sliced<TemplateChanges> {
    return this.#withoutFalseRisks(yield* changesInSlices(before, after)) as TemplateChanges;
  }

  #walk(): Walk {
    return { rules: this.#rules, pace: new SliceBudget() };
  }
}

/** The beginning of a text that is too long; that of a masked text is masked. */
export function beginningOf<Text extends string>(text: Text, charsMax: number): Text {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax - 2)} …`.toWellFormed() as Text;
}

/** A text made of masked values alone: YAML of a template, a sentence about rollouts. */
export function textFrom<
  Value extends Masked<JsonObject> | { readonly rollout: Answer<typeof relatedRolloutSchema> },
>(value: Value, write: (value: Value) => string): Masked<string> {
  return write(value) as Masked<string>;
}

/** Whether it contains a marker. Such a text was copied from an answer and must never be written. */
export function containsMarker(value: unknown): boolean {
  if (typeof value === 'string') return MARKER.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => MARKER.test(key) || containsMarker(member));
}

/** Without a list of all of them. */
function hasMoreMembers(object: Annotations, most: number): boolean {
  let count = 0;
  for (const name in object) if (Object.hasOwn(object, name) && ++count > most) return true;
  return false;
}
