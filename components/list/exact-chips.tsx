import { type AddressChange, type ListAddress } from '@/components/list/list-address';
import { Chip, ClearFilters } from '@/components/ui/chip';
import { Glyph } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';

/** The filters that only links set, as chips that remove them, and the reset of all. */
export function ExactChips<Address extends object>({
  names,
  list: { address, change, isFiltered, clear },
}: {
  names: readonly (keyof Address & string)[];
  list: ListAddress<Address>;
}) {
  return (
    <>
      {names.map((name) => {
        const value = address[name];
        if (typeof value !== 'string' || value === '') return null;
        // In the address people are called as in the API.
        const label = name === 'actor' ? 'by' : name;
        return (
          <Chip
            key={name}
            pressed
            aria-label={`${label} ${value}: remove this filter`}
            onClick={() => change({ [name]: null } as AddressChange<Address>)}
          >
            {label} <MiddleEllipsis text={value} className="max-w-[20em]!" /> <Glyph name="close" size={10} />
          </Chip>
        );
      })}
      {isFiltered && <ClearFilters onClear={clear} />}
    </>
  );
}
