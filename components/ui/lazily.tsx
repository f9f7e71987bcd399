'use client';

import { lazy, Suspense } from 'react';
import { loadPart } from '@/components/ui/lazy-part';

/** A component that loads when it is first drawn; until then `loading` is in its place, and nothing if it fails. */
export function lazily<Props extends object>(
  load: () => Promise<(props: Props) => React.ReactNode>,
  loading: React.ReactNode = null,
): (props: Props) => React.ReactElement {
  const Loaded: React.ComponentType<Props> = lazy(() => loadPart<Props>(load()));
  return function Lazily(props) {
    return (
      <Suspense fallback={loading}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
