'use client';

import { useEffect, useState } from 'react';
import { Button, type ButtonAppearance } from '@/components/ui/button';

/** Long enough to be read, short enough to end before the next copy. */
const RESULT_SHOWN_MS = 1_600;

/** Copies `text` to the clipboard and confirms in place. `label` names what is copied. */
export function CopyButton({
  text,
  label,
  children = 'Copy',
  className,
  ...buttonProps
}: ButtonAppearance & {
  text: string | (() => string | Promise<string>);
  label: string;
  children?: React.ReactNode;
  className?: string;
}) {
  const [result, setResult] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (!result) return;
    const timer = setTimeout(() => setResult(undefined), RESULT_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);

  async function copy() {
    const copied = await copyText(typeof text === 'function' ? await text() : text);
    setResult(copied ? 'copied' : 'failed');
  }

  return (
    <>
      <Button
        {...buttonProps}
        glyph={result === 'copied' ? 'check' : buttonProps.glyph}
        aria-label={result === undefined ? label : undefined}
        className={className}
        onClick={() => void copy()}
      >
        {result === 'copied' ? 'Copied' : result === 'failed' ? 'Not allowed' : children}
      </Button>
      <span role="status" className="sr-only">
        {result === 'copied' ? 'Copied' : result === 'failed' ? 'Could not copy to clipboard' : ''}
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
