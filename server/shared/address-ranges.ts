import { BlockList, isIP } from 'node:net';

/** Addresses of connections, such as `10.0.0.0/8` and `192.0.2.7`. */
export class AddressRanges {
  readonly #ranges = new BlockList();

  /** Of ranges that are valid. */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) {
      const [address = '', bits] = range.split('/');
      this.#ranges.addSubnet(address, Number(bits ?? longestOf(address)), familyOf(address));
    }
  }

  /** A socket that listens on both families has IPv4 peers as `::ffff:10.0.0.1`. */
  includes(address: string): boolean {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    return isIP(plain) !== 0 && this.#ranges.check(plain, familyOf(plain));
  }
}

/** Whether it is an address or a range; one of every address would trust every connection, and is none. */
export function isRange(text: string): boolean {
  const [address = '', bits = String(longestOf(text)), ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) >= 1 && Number(bits) <= longestOf(address);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function longestOf(address: string): number {
  return familyOf(address) === 'ipv4' ? 32 : 128;
}
