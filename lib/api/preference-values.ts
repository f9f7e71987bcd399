/** How many views a person can save. */
export const VIEWS_MAX = 30;
export const VIEW_NAME_CHARS_MAX = 60;

/** `Preferences` of someone who has set nothing. */
export const noPreferences = {
  views: [],
  initial: null,
  first: { namespaces: [], clusters: [] },
  version: 0,
};

/** What can be listed first. */
export type FirstKind = keyof typeof noPreferences.first;
