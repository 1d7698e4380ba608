import { Group, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import type { ChannelStateName } from '../../../lib/browser/page-links.ts';
import { channels } from '../calls.ts';
import classes from './ChannelCells.module.css';
import { stateQuery } from './channel-filters.ts';

/** The number of channels in total and by status; a press filters by that status. */
export function ChannelCounts({
  onStatus,
}: {
  readonly onStatus: (status: ChannelStateName | '') => void;
}) {
  const { t } = useTranslation();
  const counts = useCounts();
  if (counts === undefined) return <>&nbsp;</>;
  return (
    <Group component="span" gap={6}>
      <Count
        text={t('channel.count.total', { count: counts.total ?? 0 })}
        onPress={() => onStatus('')}
      />
      {counts.byStatus.map(([status, count]) => (
        <span key={status}>
          {'· '}
          <Count
            text={t(`channel.count.${status}`, { count })}
            isBad={status === 'failing' && count > 0}
            onPress={() => onStatus(status)}
          />
        </span>
      ))}
    </Group>
  );
}

const COUNTED = ['enabled', 'failing', 'disabled', 'auto_disabled'] as const;

interface CountProps {
  readonly text: string;
  readonly isBad?: boolean;
  readonly onPress: () => void;
}

function Count({ text, isBad = false, onPress }: CountProps) {
  const colour = isBad ? 'var(--tone-red-text)' : 'inherit';
  return (
    <UnstyledButton fz="inherit" c={colour} className={classes.quiet} onClick={onPress}>
      {text}
    </UnstyledButton>
  );
}

/** Of the whole site, regardless of filters; only the totals are used, not the rows. */
function useCounts() {
  const { data } = useQuery({
    queryKey: channelKeys.part('counts'),
    queryFn: async ({ signal }) => {
      const count = async (status: ChannelStateName | '') => {
        const filter = { p: 1, page_size: 1, ...stateQuery(status) };
        return (await channels.list(filter, { signal })).total;
      };
      const [total, ...counts] = await Promise.all(['' as const, ...COUNTED].map(count));
      return { total, byStatus: COUNTED.map((status, at) => [status, counts[at] ?? 0] as const) };
    },
  });
  return data;
}
