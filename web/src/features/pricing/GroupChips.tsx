import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Tag } from '../../components/display/Tag.tsx';
import { ratioText } from '../../components/display/tag-lists.tsx';
import { ratioTone } from '../../components/display/tones.ts';
import type { PricingState } from './usePricingPage.ts';

interface GroupChipsProps {
  readonly groups: readonly string[];
  readonly prices: PricingState;
}

/** Groups that have a model; a press shows all prices in that group. */
export function GroupChips({ groups, prices: { list, group, set } }: GroupChipsProps) {
  const { t } = useTranslation();
  return (
    <Group gap={4}>
      {groups.map((name) => {
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
    </Group>
  );
}
