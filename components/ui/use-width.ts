'use client';

import { useLayoutEffect, useState } from 'react';

type Measured<Side extends string> = { ref: (element: HTMLElement | null) => void } & Record<Side, number>;

/** Width of an element in whole pixels; 0 until it has been measured. Put `ref` on it. */
export function useWidth(): Measured<'width'> {
  const [ref, width] = useMeasure(widthOf);
  return { ref, width };
}

/** Its height, borders included. */
export function useHeight(): Measured<'height'> {
  const [ref, height] = useMeasure(heightOf);
  return { ref, height };
}

function useMeasure(measure: (element: HTMLElement) => number) {
  const [element, ref] = useState<HTMLElement | null>(null);
  const [size, setSize] = useState(0);
  useLayoutEffect(() => {
    if (!element) return;
    const update = () => setSize(measure(element));
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element, measure]);
  return [ref, size] as const;
}

function widthOf(element: HTMLElement): number {
  return element.clientWidth;
}

function heightOf(element: HTMLElement): number {
  return element.offsetHeight;
}
