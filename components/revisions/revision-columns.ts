import { useMedia, usePhone } from '@/components/ui/media';

/** The width that a row has. */
export type RowWidth = 'wide' | 'narrow' | 'slim' | 'phone';

/** Column widths; a phone has rows of lines instead. */
export const columns: Record<RowWidth, readonly string[]> = {
  wide: ['58px', '92px', '198px', '80px', 'auto', '12%', '9.5%', '118px', '86px', '176px', '28px'],
  narrow: ['58px', '90px', '200px', '84px', 'auto', '124px', '104px', '28px'],
  slim: ['58px', '84px', '164px', 'auto', '112px', '100px', '28px'],
  phone: ['58px', '90px', '186px', '84px', 'auto', '124px', '76px', '104px', '28px'],
};

export function useRowWidth(): RowWidth {
  const isPhone = usePhone();
  const isWide = useMedia('(width >= 1281px)');
  const isNarrow = useMedia('(width >= 1001px)');
  if (isPhone) return 'phone';
  if (isWide) return 'wide';
  return isNarrow ? 'narrow' : 'slim';
}
