'use client';

import { useState } from 'react';

/** About eight lines of a column: a script or a certificate must not push the next change off the screen. */
const SHOWN_LENGTH = 400;

/** A value that may be very long: its start, and the rest when asked for. `children` draws what is shown. */
export function LongText({ text, children }: { text: string; children: (shown: string) => React.ReactNode }) {
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= SHOWN_LENGTH * 1.2) return children(text);
  return (
    <>
      {children(text.slice(0, SHOWN_LENGTH))}…{' '}
      <button
        type="button"
        onClick={() => setWhole(true)}
        className="font-sans text-small text-accent no-underline hover:underline"
      >
        show all {text.length.toLocaleString('en')} characters
      </button>
    </>
  );
}
