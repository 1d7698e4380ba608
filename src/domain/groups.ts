/**
 * Groups tie users and tokens to channels and prices. They have no table of their own: a group
 * exists when `GroupRatio` names it.
 */
export const DEFAULT_GROUP = 'default';

/** What a token says that may be served by any group of the option `AutoGroups`. */
export const AUTO_GROUP = 'auto';

export interface UsableGroup {
  readonly name: string;
  /** Factor on every charge. */
  readonly ratio: number;
  /** The operator's description; the name itself where there is none. */
  readonly label: string;
}

type Ratios = Readonly<Record<string, number>>;
type Labels = Readonly<Record<string, string>>;

export interface GroupOptions {
  /** Option `GroupRatio`. */
  readonly ratios: Ratios;
  /** Option `UserUsableGroups`. */
  readonly labels: Labels;
}

/** The group a call runs in: the token's own choice, else the user's. */
export function effectiveGroup(tokenGroup: string, userGroup: string): string {
  return tokenGroup === '' ? userGroup : tokenGroup;
}

export function groupExists(ratios: Ratios, group: string): boolean {
  return Object.hasOwn(ratios, group);
}

/** Whether a user may choose this group: an offered one, or the user's own. `''` asks for a guest. */
export function mayUseGroup(labels: Labels, userGroup: string, group: string): boolean {
  return group !== '' && (group === userGroup || Object.hasOwn(labels, group));
}

/** The groups a user may choose, among those that exist; own group first, then as configured. */
export function usableGroups({ ratios, labels }: GroupOptions, userGroup: string): UsableGroup[] {
  const names = new Set([userGroup, ...Object.keys(labels)]);
  return [...names]
    .filter((name) => groupExists(ratios, name))
    .map((name) => ({
      name,
      ratio: ratios[name] ?? 1,
      label: (Object.hasOwn(labels, name) ? labels[name] : '') || name,
    }));
}

/** Whether the name stands for the groups of `AutoGroups`: where that is empty it is a name like others. */
export function isAutoGroup(autoGroups: readonly string[], group: string): boolean {
  return group === AUTO_GROUP && autoGroups.length > 0;
}

/** The groups that a user's `auto` stands for, in the order in which they are tried. */
export function autoGroupsOf(
  autoGroups: readonly string[],
  { ratios, labels }: GroupOptions,
  userGroup: string,
): readonly string[] {
  return [...new Set(autoGroups)].filter(
    (group) => groupExists(ratios, group) && mayUseGroup(labels, userGroup, group),
  );
}
