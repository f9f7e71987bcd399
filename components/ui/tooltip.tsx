'use client';

import { cloneElement, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

/** Long enough not to flicker while the pointer crosses a row. */
const DELAY_MS = 350;

type Described = React.ReactElement<{ 'aria-describedby'?: string }>;

/**
 * A remark on one element, shown on hover and on focus, gone with Escape. The element must be able to have focus, and
 * must be understandable without it.
 */
export function Tooltip({ label, children }: { label: React.ReactNode; children: Described }) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [place, setPlace] = useState<{ left: number; top: number; above: boolean }>();

  useEffect(() => () => clearTimeout(timer.current), []);

  function show() {
    const box = anchor.current?.firstElementChild?.getBoundingClientRect();
    if (!box) return;
    const above = box.bottom > window.innerHeight - 80;
    setPlace({ left: box.left + box.width / 2, top: above ? box.top - 6 : box.bottom + 6, above });
  }

  function hide() {
    clearTimeout(timer.current);
    setPlace(undefined);
  }

  return (
    <span
      ref={anchor}
      className="contents"
      onPointerOver={(event) => {
        if (event.pointerType !== 'mouse') return;
        clearTimeout(timer.current);
        timer.current = setTimeout(show, DELAY_MS);
      }}
      onPointerOut={hide}
      onFocus={(event) => event.target.matches(':focus-visible') && show()}
      onBlur={hide}
      onKeyDown={(event) => event.key === 'Escape' && hide()}
    >
      {cloneElement(children, { 'aria-describedby': place ? id : undefined })}
      {place &&
        createPortal(
          <span
            id={id}
            role="tooltip"
            style={{
              left: `clamp(140px, ${place.left}px, calc(100vw - 140px))`,
              top: place.top,
              transform: `translate(-50%, ${place.above ? '-100%' : '0'})`,
            }}
            className="pointer-events-none fixed z-60 max-w-[272px] rounded-2 bg-solid px-2 py-1 text-small text-pretty text-ink-inv"
          >
            {label}
          </span>,
          document.body,
        )}
    </span>
  );
}
