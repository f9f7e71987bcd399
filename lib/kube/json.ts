/** Any JSON value. Numbers that a double cannot hold are {@link RawNumber}. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}
