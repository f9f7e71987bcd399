import { AppError } from '@/lib/errors';

/**
 * The bearer token of a viewer. Only the transport reads its text: in JSON, logs, errors and `util.inspect` it is an
 * empty object. Throws AppError `bad_request` for text that is none: a blank one would be an anonymous request.
 * https://datatracker.ietf.org/doc/html/rfc6750#section-2.1
 */
export class BearerToken {
  readonly #text: string;

  constructor(text: string) {
    if (!/^[\w.~+/-]+=*$/.test(text))
      throw new AppError(
        'bad_request',
        'This is no bearer token: one consists of letters, digits and -._~+/, and may end with =.',
      );
    this.#text = text;
  }

  /** The value of the header `Authorization`. */
  authorization(): string {
    return `Bearer ${this.#text}`;
  }
}
