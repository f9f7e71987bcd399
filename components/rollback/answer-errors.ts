import { type Finding } from '@/lib/workloads/plan';
import { AppError } from '@/lib/errors';

/** Whether the server answered that the workload is no longer the viewed one. */
export function isPreconditionError(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'changed' || error.code === 'conflict');
}

/** The findings of a refusal before those of the preview, without duplicates. */
export function mergeRefusedFindings(previewed: readonly Finding[], error: unknown): Finding[] {
  const refused = refusedFindings(error);
  if (refused.length === 0) return [...previewed];
  const refusedCodes = new Set(refused.map((finding) => finding.code));
  return [...refused, ...previewed.filter((finding) => !refusedCodes.has(finding.code))];
}

function refusedFindings(error: unknown): Finding[] {
  if (!(error instanceof AppError) || error.code !== 'refused') return [];
  const { findings } = error.details;
  return Array.isArray(findings) ? (findings as Finding[]) : [];
}
