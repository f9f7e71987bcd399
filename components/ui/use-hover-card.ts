import { useEffect, useMemo, useRef, useState } from 'react';

/** Long enough to cross other items without flicker. */
const SHOW_MS = 90;
/** Long enough to reach the card from its item. */
const HIDE_MS = 180;

/** The item whose card is shown while the pointer is on the item or on its card; the functions never change. */
export function useHoverCard<Item>(): {
  hovered: Item | null;
  enter: (item: Item) => void;
  /** The pointer has reached the card. */
  stay: () => void;
  leave: () => void;
  /** Hides the card at once. */
  hide: () => void;
} {
  const [hovered, setHovered] = useState<Item | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const functions = useMemo(() => {
    function after(delayMs: number, item: Item | null) {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setHovered(item), delayMs);
    }
    return {
      enter: (item: Item) => after(SHOW_MS, item),
      stay: () => clearTimeout(timer.current),
      leave: () => after(HIDE_MS, null),
      hide: () => {
        clearTimeout(timer.current);
        setHovered(null);
      },
    };
  }, []);
  return { hovered, ...functions };
}
