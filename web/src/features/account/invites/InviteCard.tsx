import { Button, Card, Group, Popover, SimpleGrid, Text, Title } from '@mantine/core';
import { IconQrcode, IconTransfer } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QrCode } from '../../../components/content/QrCode.tsx';
import { CopyText, copyText } from '../../../components/display/copy.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { Popup } from '../../../components/layout/Popup.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { account, type Self } from '../calls.ts';
import { TransferDialog } from './TransferDialog.tsx';

/** The invitation link and its rewards. */
export function InviteCard({ self }: { readonly self: Self | undefined }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const origin = useBaseUrl();
  const query = useQuery({
    queryKey: ['account', 'invite-code'],
    queryFn: ({ signal }) => account.affCode({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Card component="section" aria-label={t('account.invite.title')}>
      <Group justify="space-between" mb="xs">
        <Title order={2} fz={14}>
          {t('account.invite.title')}
        </Title>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTransfer size={14} />}
          disabled={self === undefined || self.aff_quota <= 0}
          onClick={() => setOpen(true)}
        >
          {t('account.invite.transfer')}
        </Button>
      </Group>
      <SimpleGrid cols={3} spacing="xs" mb="sm">
        <Figure title={t('account.invite.pending')}>
          {self && <QuotaText units={self.aff_quota} isPrivate />}
        </Figure>
        <Figure title={t('account.invite.earned')}>
          {self && <QuotaText units={self.aff_history_quota} isPrivate />}
        </Figure>
        <Figure title={t('account.invite.count')}>{self?.aff_count}</Figure>
      </SimpleGrid>
      <Loaded query={query}>{(code) => <Link link={`${origin}/register?aff=${code}`} />}</Loaded>
      {self && (
        <TransferDialog isOpen={isOpen} onClose={() => setOpen(false)} available={self.aff_quota} />
      )}
    </Card>
  );
}

function Link({ link }: { readonly link: string }) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  const copy = async () => {
    if (await copyText(link)) say.success(t('account.invite.copied'));
  };
  return (
    <Group gap="xs" justify="space-between">
      <div style={{ flex: '1 1 200px', minWidth: 0 }}>
        <CopyText text={link} label={t('account.invite.copy')} />
      </div>
      <Group gap="xs" wrap="nowrap">
        <Popup isOpen={isShown} onClose={() => setShown(false)} position="top">
          <Popover.Target>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconQrcode size={14} />}
              onClick={() => setShown(!isShown)}
            >
              {t('account.invite.qr')}
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <QrCode text={link} label={t('account.invite.qrLabel')} />
          </Popover.Dropdown>
        </Popup>
        <Button size="xs" onClick={() => void copy()}>
          {t('account.invite.copy')}
        </Button>
      </Group>
    </Group>
  );
}

function Figure({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Text component="div" fw={600}>
        {children ?? '-'}
      </Text>
    </div>
  );
}
