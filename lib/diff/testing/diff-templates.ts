import type { TemplateDiff } from '@/lib/diff/change';
import { diffInSlices } from '@/lib/diff/diff';
import type { JsonObject } from '@/lib/kube/json';
import { runToEnd } from '@/lib/kube/slices';
import { masked } from '@/test/masked';

/** The difference of templates that hold no credentials. */
export function diffTemplates(before: JsonObject, after: JsonObject): TemplateDiff {
  return runToEnd(diffInSlices(masked(before), masked(after))) as TemplateDiff;
}
