import { useMedia, usePhone } from '@/components/ui/media';

/** The width that a row has. */
export type RowWidth = 'wide' | 'narrow' | 'slim' | 'phone';

/** Column widths; a phone has rows of lines instead. */
export const columns: Record<RowWidth, readonly string[]> = {
  wide: ['30px', '80px', '222px', '80px', 'auto', '13%', '9.5%', '112px', '82px', '200px', '28px'],
  narrow: ['30px', '80px', '222px', '84px', 'auto', '128px', '112px', '28px'],
  slim: ['30px', '80px', '176px', 'auto', '118px', '108px', '28px'],
  phone: ['30px', '90px', '186px', '84px', 'auto', '124px', '76px', '104px', '28px'],
};

export function useRowWidth(): RowWidth {
  const isPhone = usePhone();
  const isWide = useMedia('(width >= 1281px)');
  const isNarrow = useMedia('(width >= 1001px)');
  if (isPhone) return 'phone';
  if (isWide) return 'wide';
  return isNarrow ? 'narrow' : 'slim';
}
