declare const masked: unique symbol;

/**
 * A text, template or set of annotations in its readable form: every value that resembles a credential is
 * replaced by its marker. Whatever leaves the server or is stored as readable text has this type; only `Mask`
 * in server/shared/mask.ts makes values of it. At run time it is the plain value.
 */
export type Masked<Value> = Value & { readonly [masked]: true };
