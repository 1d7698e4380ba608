import { Button, Group, Popover, SimpleGrid, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconQrcode, IconTransfer } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { quotaText } from '../../../../src/domain/pricing/quota-text.ts';
import { QrCode } from '../../components/content/QrCode.tsx';
import { CopyText, copyText } from '../../components/display/copy.tsx';
import { Figure } from '../../components/display/Figure.tsx';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { SideButton } from '../../components/display/SideButton.tsx';
import { FormDialog } from '../../components/forms/FormDialog.tsx';
import { fieldOf } from '../../components/forms/field-of.ts';
import { QuotaInput } from '../../components/forms/QuotaInput.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { Popup } from '../../components/layout/Popup.tsx';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { account, type Self } from '../../lib/api/account.ts';
import { selfKeys } from '../../lib/api/query-keys.ts';
import { useQuotaStyle, useQuotaText } from '../../lib/pricing/quota-format.ts';
import { useBaseUrl } from '../../lib/site/base-url.ts';

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
    <TitledCard
      title={t('account.invite.title')}
      action={
        <SideButton
          size="xs"
          icon={IconTransfer}
          disabled={self === undefined || self.aff_quota <= 0}
          label={t('account.invite.transfer')}
          onClick={() => setOpen(true)}
        />
      }
    >
      <SimpleGrid cols={3} spacing="xs" mb="sm">
        <Figure fw={600} label={t('account.invite.pending')}>
          {self ? <QuotaText units={self.aff_quota} isPrivate /> : '-'}
        </Figure>
        <Figure fw={600} label={t('account.invite.earned')}>
          {self ? <QuotaText units={self.aff_history_quota} isPrivate /> : '-'}
        </Figure>
        <Figure fw={600} label={t('account.invite.count')}>
          {self?.aff_count ?? '-'}
        </Figure>
      </SimpleGrid>
      <Loaded query={query}>{(code) => <Link link={`${origin}/register?aff=${code}`} />}</Loaded>
      {self && isOpen && (
        <TransferDialog onClose={() => setOpen(false)} available={self.aff_quota} />
      )}
    </TitledCard>
  );
}

function Link({ link }: { readonly link: string }) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  const copy = async () => {
    if (await copyText(link)) toast.success(t('account.invite.copied'));
  };
  return (
    <Group justify="space-between">
      <div style={{ flex: '1 1 200px', minWidth: 0 }}>
        <CopyText text={link} label={t('common.copyLink')} />
      </div>
      <Group wrap="nowrap">
        <Popup isOpen={isShown} onClose={() => setShown(false)} position="top" trapFocus={false}>
          <Popover.Target>
            <SideButton
              size="xs"
              icon={IconQrcode}
              label={t('account.invite.qr')}
              onClick={() => setShown(!isShown)}
            />
          </Popover.Target>
          <Popover.Dropdown>
            <QrCode text={link} label={t('account.invite.qrLabel')} />
          </Popover.Dropdown>
        </Popup>
        <Button size="xs" onClick={() => void copy()}>
          {t('common.copyLink')}
        </Button>
      </Group>
    </Group>
  );
}

interface TransferDialogProps {
  readonly onClose: () => void;
  /** Units. */
  readonly available: number;
}

/** Transfers invitation rewards to the balance, at least one whole unit at a time. */
function TransferDialog({ onClose, available }: TransferDialogProps) {
  const { t } = useTranslation();
  const text = useQuotaText();
  const { quotaPerUnit } = useQuotaStyle();
  const least = Math.ceil(quotaPerUnit);
  const form = useForm({
    initialValues: { quota: least },
    validate: {
      quota: (units) => {
        if (units < least)
          return t('account.invite.tooLittle', {
            amount: quotaText(least, { currency: true, quotaPerUnit }),
          });
        return units > available ? t('account.invite.tooMuch') : null;
      },
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('account.invite.transfer')}
      size={420}
      form={form}
      onSubmit={({ quota }) => account.transferAff({ quota })}
      touches={[selfKeys]}
      done={() => t('account.invite.moved')}
      verb={t('account.invite.transfer')}
    >
      <Group gap="md" justify="space-between">
        <Text>{t('account.invite.available', { amount: text(available) })}</Text>
        <SideButton
          size="compact-sm"
          label={t('account.invite.max')}
          onClick={() => form.setFieldValue('quota', available)}
        />
      </Group>
      <QuotaInput label={t('account.invite.amount')} data-autofocus {...fieldOf(form, 'quota')} />
    </FormDialog>
  );
}
