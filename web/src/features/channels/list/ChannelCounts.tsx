import { Group, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { channels } from '../calls.ts';
import classes from './ChannelCells.module.css';
import { STATUSES, type StatusName } from './channel-filters.ts';

/** The number of channels in total and by status; a press filters by that status. */
export function ChannelCounts({
  onStatus,
}: {
  readonly onStatus: (status: StatusName | '') => void;
}) {
  const { t } = useTranslation();
  const counts = useCounts();
  if (counts === undefined) return <>&nbsp;</>;
  return (
    <Group component="span" gap={6}>
      <Count
        text={t('channel.count.total', { count: counts.total })}
        onPress={() => onStatus('')}
      />
      {STATUSES.map((status) => (
        <span key={status}>
          {'· '}
          <Count
            text={t(`channel.count.${status}`, { count: counts[status] })}
            onPress={() => onStatus(status)}
          />
        </span>
      ))}
    </Group>
  );
}

function Count({ text, onPress }: { readonly text: string; readonly onPress: () => void }) {
  return (
    <UnstyledButton fz="inherit" c="inherit" className={classes.quiet} onClick={onPress}>
      {text}
    </UnstyledButton>
  );
}

/** Of the whole site, regardless of filters; only the totals are used, not the rows. */
function useCounts() {
  const { data } = useQuery({
    queryKey: channelKeys.part('counts'),
    queryFn: async ({ signal }) => {
      const count = async (status?: number) => {
        const filter = status === undefined ? {} : { status };
        return (await channels.list({ p: 1, page_size: 1, ...filter }, { signal })).total;
      };
      const { enabled, disabled, auto_disabled } = CHANNEL_STATUS;
      const [total, on, off, auto] = await Promise.all([
        count(),
        count(enabled),
        count(disabled),
        count(auto_disabled),
      ]);
      return { total, enabled: on, disabled: off, auto_disabled: auto };
    },
  });
  return data;
}
