import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Tag } from '../../components/display/Tag.tsx';
import { ratioText } from '../../components/display/tag-lists.tsx';
import { ratioTone } from '../../components/display/tones.ts';
import { listText } from '../../lib/text/lists.ts';
import type { PricingState } from './usePricingPage.ts';

interface GroupChipsProps {
  readonly groups: readonly string[];
  readonly prices: PricingState;
  /** How many are shown, in one line; the rest is a number. Without it all are. */
  readonly most?: number;
}

/** Groups that have a model; a press shows all prices in that group. */
export function GroupChips({ groups, prices: { list, group, set }, most }: GroupChipsProps) {
  const { t } = useTranslation();
  const rest = most === undefined ? [] : groups.slice(most);
  return (
    <Group gap={4} wrap={most === undefined ? 'wrap' : 'nowrap'}>
      {groups.slice(0, most).map((name) => {
        const ratio = list?.group_ratio[name] ?? 1;
        return (
          <Tag
            key={name}
            tone={ratioTone(ratio)}
            shape={name === group ? 'dot' : undefined}
            hint={t('pricing.showGroup', { group: name })}
            onClick={(event) => {
              event.stopPropagation();
              set({ group: name, page: 1 });
            }}
          >
            {name} · {ratioText(ratio)}
          </Tag>
        );
      })}
      {rest.length > 0 && <Tag hint={listText(rest)}>+{rest.length}</Tag>}
    </Group>
  );
}
