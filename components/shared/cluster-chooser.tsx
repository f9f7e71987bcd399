'use client';

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { ButtonLink } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { useShortcuts } from '@/components/ui/shortcuts';
import { AppError } from '@/lib/errors';

interface Candidate {
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

/** The page of an object that several clusters have, before one of them is chosen. */
export function ClusterChooser({
  what,
  candidates,
}: {
  /** "shop/cart" */
  what: string;
  candidates: readonly Candidate[];
}) {
  const router = useRouter();
  const pathname = usePathname();
  const params = useSearchParams();
  const addressOf = (cluster: string) =>
    `${pathname}?${new URLSearchParams([...[...params].filter(([name]) => name !== 'cluster'), ['cluster', cluster]])}`;
  useShortcuts(
    Object.fromEntries(
      candidates
        .slice(0, 9)
        .map(({ cluster, title }, index) => [
          String(index + 1),
          { label: `Open in ${title}`, hint: cluster, run: () => router.replace(addressOf(cluster)) },
        ]),
    ),
  );
  return (
    <EmptyState
      title={`${what} is in ${candidates.length} clusters`}
      glyph="list"
      heading="h1"
      className="mt-4"
      actions={
        <ul aria-label="Clusters" className="grid w-full max-w-[420px] gap-2">
          {candidates.map(({ cluster, title, stage }, index) => (
            <li key={cluster}>
              <ButtonLink
                href={addressOf(cluster)}
                replace
                kbd={index < 9 ? String(index + 1) : undefined}
                className="w-full justify-between! max-desk:min-h-11"
              >
                <span className="min-w-0 truncate">
                  {title} {title !== cluster && <span className="text-ink-3">{cluster}</span>}
                </span>
                <span className="ml-auto flex-none text-small text-ink-3">{stage}</span>
              </ButtonLink>
            </li>
          ))}
        </ul>
      }
    >
      The link does not name one of them. Choose where to look.
    </EmptyState>
  );
}
