/** Abilities: which channel serves which model for which group. Derived, never edited directly. */
import { splitList } from '../text/comma-list.ts';

export interface AbilitySource {
  readonly id: number;
  /** Comma-separated. */
  readonly models: string;
  /** Comma-separated. */
  readonly group: string;
  readonly status: number;
  readonly priority: number;
  readonly weight: number;
  readonly tag: string;
}

export interface Ability {
  readonly group: string;
  readonly model: string;
  readonly channel_id: number;
  readonly enabled: boolean;
  readonly priority: number;
  readonly weight: number;
  readonly tag: string | null;
}

/** One row per group and model of the channel; names are trimmed, without blanks or duplicates. */
export function abilitiesOf(channel: AbilitySource): Ability[] {
  const models = splitList(channel.models);
  return splitList(channel.group).flatMap((group) =>
    models.map((model) => ({
      group,
      model,
      channel_id: channel.id,
      enabled: channel.status === 1,
      priority: channel.priority,
      weight: channel.weight,
      tag: channel.tag === '' ? null : channel.tag,
    })),
  );
}
