import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS } from '../../../../../src/domain/statuses.ts';
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
      <Stack gap="xs" component="dl" m={0}>
        <Fact name={t('common.id')}>{code.id}</Fact>
        <Fact name={t('redemption.key')}>
          <SecretText secret={code.key} label={t('redemption.copyKey')} />
        </Fact>
        <Fact name={t('common.status')}>
          <CodeState state={code.state} />
        </Fact>
        <Fact name={t('common.type')}>
          <CodeKindTag isGift={code.is_gift} />
        </Fact>
        <Fact name={t('common.quota')}>
          <QuotaText units={code.quota} />
        </Fact>
        <Fact name={t('redemption.uses')}>
          <Uses code={code} />
        </Fact>
        <Fact name={t('redemption.valid')}>
          <ValidTime code={code} />
        </Fact>
        <Fact name={t('common.created')}>
          <FullTime at={code.created_time} />
        </Fact>
        <Fact name={t('redemption.usedBy')}>
          <UserLink id={code.used_user_id} />
        </Fact>
        <Fact name={t('redemption.usedAt')}>
          <FullTime at={code.redeemed_time} />
        </Fact>
      </Stack>
      <RedeemQr code={code} />
    </Stack>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" fz="sm">
      <Text component="dt" inherit c="dimmed" w={110} style={{ flexShrink: 0 }}>
        {name}
      </Text>
      <Text component="dd" inherit m={0} miw={0}>
        {children}
      </Text>
    </Group>
  );
}
