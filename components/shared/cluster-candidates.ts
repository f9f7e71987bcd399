import { AppError } from '@/lib/errors';

export interface Candidate {
  /** Its name in addresses. */
  cluster: string;
  title: string;
  stage: string | null;
}

/** The clusters of an address that names none of them; null for any other error. */
export function candidatesOf(error: unknown): readonly Candidate[] | null {
  if (!(error instanceof AppError) || error.code !== 'ambiguous') return null;
  const candidates = error.details.candidates as readonly Partial<Candidate>[] | undefined;
  const isOfClusters = candidates?.every(({ cluster }) => typeof cluster === 'string') ?? false;
  return isOfClusters ? (candidates as readonly Candidate[]) : null;
}
