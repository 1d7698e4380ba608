import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { logCalls } from '../../../../src/api/logs/log.ts';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { countText } from '../../../../src/domain/pricing/quota-text.ts';
import { BalanceChange } from '../../components/display/BalanceChange.tsx';
import { EntriesLink } from '../../components/display/EntriesLink.tsx';
import { Fact } from '../../components/display/Fact.tsx';
import { Loading } from '../../components/layout/list-states.tsx';
import { client } from '../../lib/api/api.ts';
import { logKeys } from '../../lib/api/query-keys.ts';
import { momentSec } from '../../lib/browser/url-state.ts';
import { useIsAdmin } from '../../lib/session/session.ts';

const logs = client({ stat: logCalls.stat, statOwn: logCalls.statOwn });

const FROM = '30d';
const LINE_PX = 40;

/** Calls, charges and refunds of a model in 30 days: of all users for administrators, else own. */
export function ModelUse({ model }: { readonly model: string }) {
  const isAdmin = useIsAdmin();
  const { data, isError } = useQuery({
    queryKey: logKeys.part('model', { model, isAdmin }),
    queryFn: ({ signal }) => {
      const start_timestamp = momentSec(FROM, Math.floor(Date.now() / 1000));
      const filter = { model_name: model, start_timestamp };
      return isAdmin ? logs.stat(filter, { signal }) : logs.statOwn(filter, { signal });
    },
  });
  if (isError) return null;
  if (data === undefined) return <Loading lines={1} height={LINE_PX} />;
  return <Figures model={model} sums={data} />;
}

interface FiguresProps {
  readonly model: string;
  readonly sums: { readonly count: number; readonly quota: number; readonly refunds: number };
}

function Figures({ model, sums: { count, quota, refunds } }: FiguresProps) {
  const { t } = useTranslation();
  const entries = { model, from: FROM };
  const charges = { ...entries, type: String(LOG_TYPE.consume) };
  return (
    <Group component="dl" gap="xl" m={0} mih={LINE_PX}>
      <Fact fw={500} name={t('pricing.use.calls')}>
        <EntriesLink {...charges}>{countText(count)}</EntriesLink>
      </Fact>
      <Fact fw={500} name={t('pricing.use.charges')}>
        <EntriesLink {...charges}>
          <BalanceChange kind="charge" units={-(quota + refunds)} />
        </EntriesLink>
      </Fact>
      <Fact fw={500} name={t('pricing.use.refunds')}>
        <EntriesLink {...entries} type={String(LOG_TYPE.refund)}>
          <BalanceChange kind="refund" units={refunds} />
        </EntriesLink>
      </Fact>
    </Group>
  );
}
