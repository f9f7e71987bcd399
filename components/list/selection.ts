import { useState } from 'react';

/** The selected row of a list: a key and no position, so that it stays on its row when rows move. */
export interface Selection {
  /** Empty without one. */
  at: string;
  select: (key: string) => void;
  /** To be called before the page is left, with the row that leads away. */
  leave: (key: string) => void;
}

/** A selection that lasts as long as the page. */
export function useSelection(): Selection {
  const [at, select] = useState('');
  return { at, select, leave: select };
}
