import { type FindingItem } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';

/** Whether the server answered that the workload is no longer the one that was looked at. */
export function isChangedError(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'changed' || error.code === 'conflict');
}

/** The findings of a refusal on top of those of the preview, each once. */
export function freshFindings(previewed: readonly FindingItem[], error: unknown): FindingItem[] {
  const refused = refusedFindings(error);
  if (refused.length === 0) return [...previewed];
  const known = new Set(refused.map((finding) => finding.code));
  return [...refused, ...previewed.filter((finding) => !known.has(finding.code))];
}

function refusedFindings(error: unknown): FindingItem[] {
  if (!(error instanceof AppError) || error.code !== 'refused') return [];
  const { findings } = error.details;
  return Array.isArray(findings) ? (findings as FindingItem[]) : [];
}
