import { Button, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS } from '../../../../../src/domain/statuses.ts';
import { Facts } from '../../../components/display/Facts.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { FullTime } from '../../../components/display/RelativeTime.tsx';
import { SecretText } from '../../../components/display/SecretText.tsx';
import { DetailDrawer } from '../../../components/layout/DetailDrawer.tsx';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { useRecord } from '../../../hooks/useRecord.ts';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { type Redemption, redemptions } from '../calls.ts';
import { CodeKindTag, CodeState, UserLink, Uses, ValidTime } from '../list/code-columns.tsx';
import { RedeemQr } from '../print/RedeemQr.tsx';

interface CodeDrawerProps {
  /** '' is closed. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly onId: (id: string) => void;
  readonly onEdit: (id: number) => void;
}

export function CodeDrawer({ id, ids, onId, onEdit }: CodeDrawerProps) {
  const { t } = useTranslation();
  const query = useRecord(redemptionKeys, id, redemptions.get);
  const isUnused = query.data?.status === REDEMPTION_STATUS.unused;
  return (
    <DetailDrawer
      id={id}
      ids={ids}
      onId={onId}
      title={query.data?.name ?? t('redemption.one')}
      width={480}
      actions={
        isUnused ? (
          <Button onClick={() => onEdit(Number(id))}>{t('action.edit')}</Button>
        ) : undefined
      }
    >
      <Loaded query={query}>{(code) => <CodeFacts code={code} />}</Loaded>
    </DetailDrawer>
  );
}

function CodeFacts({ code }: { readonly code: Redemption }) {
  const { t } = useTranslation();
  return (
    <Stack gap="lg">
      <Facts
        facts={[
          [t('common.id'), code.id],
          [
            t('redemption.key'),
            <SecretText key="key" secret={code.key} label={t('redemption.copyKey')} />,
          ],
          [t('common.status'), <CodeState key="status" state={code.state} />],
          [t('common.type'), <CodeKindTag key="type" isGift={code.is_gift} />],
          [t('common.quota'), <QuotaText key="quota" units={code.quota} />],
          [t('redemption.uses'), <Uses key="uses" code={code} />],
          [t('redemption.valid'), <ValidTime key="valid" code={code} />],
          [t('common.created'), <FullTime key="created" at={code.created_time} />],
          [t('redemption.usedBy'), <UserLink key="usedBy" id={code.used_user_id} />],
          [t('redemption.usedAt'), <FullTime key="usedAt" at={code.redeemed_time} />],
        ]}
      />
      <RedeemQr code={code} />
    </Stack>
  );
}
