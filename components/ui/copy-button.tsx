'use client';

import { useEffect, useState } from 'react';
import { Button, type ButtonLook } from '@/components/ui/button';

/** Long enough to be read, short enough to be gone before the next look. */
const SAID_MS = 1_600;

/** Puts `text` on the clipboard and says so in place. `label` names what is copied. */
export function CopyButton({
  text,
  label,
  children = 'Copy',
  className,
  ...look
}: ButtonLook & {
  text: string | (() => string | Promise<string>);
  label: string;
  children?: React.ReactNode;
  className?: string;
}) {
  const [said, setSaid] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);

  async function copy() {
    const copied = await copyText(typeof text === 'function' ? await text() : text);
    setSaid(copied ? 'copied' : 'failed');
  }

  return (
    <>
      <Button
        {...look}
        glyph={said === 'copied' ? 'check' : look.glyph}
        aria-label={said === undefined ? label : undefined}
        className={className}
        onClick={() => void copy()}
      >
        {said === 'copied' ? 'Copied' : said === 'failed' ? 'Not allowed here' : children}
      </Button>
      <span role="status" className="sr-only">
        {said === 'copied' ? 'Copied' : said === 'failed' ? 'The browser did not allow copying' : ''}
      </span>
    </>
  );
}

/** Writes to the clipboard; false where the browser refuses (no permission, or a page without a secure context). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
