/**
 * Groups link users and tokens to channels and prices. They have no table of their own: a group
 * exists if `GroupRatio` names it.
 */
export const DEFAULT_GROUP = 'default';

/** Token group that allows any group of the option `AutoGroups`. */
export const AUTO_GROUP = 'auto';

export interface UsableGroup {
  readonly name: string;
  /** Factor applied to every charge. */
  readonly ratio: number;
  /** The operator's description; the group's name if there is none. */
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

/** The group a call runs in: the token's group if set, otherwise the user's. */
export function effectiveGroup(tokenGroup: string, userGroup: string): string {
  return tokenGroup === '' ? userGroup : tokenGroup;
}

export function groupExists(ratios: Ratios, group: string): boolean {
  return Object.hasOwn(ratios, group);
}

/** Whether a user may choose this group: an offered one, or the user's own ('' for a guest). */
export function mayUseGroup(labels: Labels, userGroup: string, group: string): boolean {
  return group !== '' && (group === userGroup || Object.hasOwn(labels, group));
}

/** The existing groups that a user may choose: the user's own first, then in configured order. */
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

/** Whether the name refers to `AutoGroups`; if that is empty, `auto` is an ordinary group name. */
export function isAutoGroup(autoGroups: readonly string[], group: string): boolean {
  return group === AUTO_GROUP && autoGroups.length > 0;
}

/** The groups that `auto` resolves to for a user, in the order in which they are tried. */
export function autoGroupsOf(
  autoGroups: readonly string[],
  { ratios, labels }: GroupOptions,
  userGroup: string,
): readonly string[] {
  return [...new Set(autoGroups)].filter(
    (group) => groupExists(ratios, group) && mayUseGroup(labels, userGroup, group),
  );
}
