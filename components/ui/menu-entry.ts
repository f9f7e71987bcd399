'use client';
import type { GlyphName } from '@/components/ui/glyph';

export interface MenuAction {
  label: string;
  /** Shown next to the label, muted. */
  hint?: React.ReactNode;
  glyph?: GlyphName;
  /** Present for an entry that can be checked, with its check mark. */
  checked?: boolean;
  /** The menu stays open: several entries may be checked one after the other. */
  staysOpen?: true;
  /** Why the entry is disabled; it is still listed. Null: it is enabled. */
  disabledReason?: string | null;
  tone?: 'danger';
  kbd?: string;
  /** An address instead of `onSelect`. */
  href?: string;
  onSelect?: () => void;
}

export type MenuEntry = MenuAction | { heading: string } | 'separator';
