'use client';

import { useState } from 'react';

/** About eight lines of a column: a script or a certificate must not push the next change out of view. */
const SHOWN_LENGTH = 400;

/** A value that may be very long: its start, and the rest on request. `children` draws the visible text. */
export function LongText({ text, children }: { text: string; children: (shown: string) => React.ReactNode }) {
  const [isExpanded, setExpanded] = useState(false);
  if (isExpanded || text.length <= SHOWN_LENGTH * 1.2) return children(text);
  return (
    <>
      {children(text.slice(0, SHOWN_LENGTH))}…{' '}
      <button
        type="button"
        onClick={() => setExpanded(true)}
        className="font-sans text-small text-accent no-underline hover:underline"
      >
        show all {text.length.toLocaleString('en')} characters
      </button>
    </>
  );
}
