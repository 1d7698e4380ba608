import { Group, Input, Radio, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconSend } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isPostKind, NOTIFY_KINDS } from '../../../../../src/domain/notification-kinds.ts';
import { quotaText } from '../../../../../src/domain/pricing/quota-text.ts';
import { isSuperAdmin } from '../../../../../src/domain/roles.ts';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { fieldErrors } from '../../../components/forms/field-errors.ts';
import { fieldOf } from '../../../components/forms/field-of.ts';
import { Picks } from '../../../components/forms/Picks.tsx';
import { QuotaInput } from '../../../components/forms/QuotaInput.tsx';
import { NotificationAddress } from '../../../components/notifications/NotificationAddress.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { account, type Self } from '../../../lib/api/account.ts';
import { useQuotaStyle } from '../../../lib/pricing/quota-format.ts';
import { dateTimeText } from '../../../lib/text/dates.ts';
import { notices } from '../calls.ts';
import {
  type NoticeForm,
  type NoticeValues,
  noticeInput,
  noticeProblems,
  noticeValues,
  THRESHOLDS,
} from './account-settings.ts';
import { SaveRow } from './SaveRow.tsx';

/** @param self undefined while loading: the form is then shown disabled. */
export function NoticePanel({ self }: { readonly self: Self | undefined }) {
  const { t } = useTranslation();
  const form = useForm<NoticeValues>({
    initialValues: noticeValues(undefined),
    validate: (values) => fieldErrors(noticeProblems(values), (problem) => t(problem)),
  });
  useFilledForm(form, self && `${self.setting} ${self.has_webhook_secret}`, () =>
    noticeValues(self?.setting, self?.role),
  );
  const kind = form.getValues().notify_type;
  return (
    <Stack gap="md">
      <fieldset disabled={self === undefined} style={{ border: 0, margin: 0, padding: 0 }}>
        <Stack gap="md">
          {self !== undefined && <Failing self={self} />}
          <Radio.Group {...form.getInputProps('notify_type')} label={t('account.notice.by')}>
            <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" verticalSpacing="xs" mt={6}>
              {NOTIFY_KINDS.map((kind) => (
                <Radio key={kind} value={kind} label={t(`part.notice.kind.${kind}`)} />
              ))}
            </SimpleGrid>
          </Radio.Group>
          <Threshold form={form} balance={self?.quota} />
          {isPostKind(kind) && (
            <NotificationAddress
              form={form}
              kind={kind}
              hasSecret={self?.has_webhook_secret === true}
            />
          )}
          {kind === 'email' && (
            <TextInput
              {...form.getInputProps('notification_email')}
              type="email"
              label={t('account.notice.address')}
              description={t('account.notice.addressHint')}
              placeholder={self?.email ?? ''}
            />
          )}
          <QuietHours form={form} />
          <Switch
            {...form.getInputProps('weekly_digest', { type: 'checkbox' })}
            label={t('account.notice.digest')}
            description={t(
              isSuperAdmin(self?.role ?? 0)
                ? 'account.notice.siteDigestHint'
                : 'account.notice.digestHint',
            )}
          />
        </Stack>
      </fieldset>
      <Dimmed>{t('account.notice.often')}</Dimmed>
      <SaveRow
        form={form}
        onSave={(values) => account.changeSetting(noticeInput(values))}
        extra={<Try isOff={form.isDirty()} />}
      />
    </Stack>
  );
}

/** Says that the receiver does not get notifications, until one arrives. */
function Failing({ self: { notice_failing_since, notice_failure } }: { readonly self: Self }) {
  const { t } = useTranslation();
  if (notice_failing_since === 0) return null;
  const time = dateTimeText(notice_failing_since);
  return <Notice tone="red">{t('part.notice.failing', { time, reason: notice_failure })}</Notice>;
}

interface ThresholdProps {
  readonly form: NoticeForm;
  /** Units; undefined while loading. */
  readonly balance: number | undefined;
}

function Threshold({ form, balance }: ThresholdProps) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useQuotaStyle();
  const value = form.getValues().quota_warning_threshold;
  return (
    <Stack gap={6}>
      <QuotaInput
        label={t('account.notice.threshold')}
        {...fieldOf(form, 'quota_warning_threshold')}
      />
      <Picks
        label={t('account.notice.threshold')}
        picks={THRESHOLDS}
        value={value}
        text={(units) => quotaText(units, { currency: true, quotaPerUnit })}
        onPick={(units) => form.setFieldValue('quota_warning_threshold', units)}
      />
      {balance !== undefined && balance < value && (
        <Notice tone="yellow" action={<Try isOff={form.isDirty()} text="account.notice.now" />}>
          {t('account.notice.below')}
        </Notice>
      )}
    </Stack>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));

function QuietHours({ form }: { readonly form: NoticeForm }) {
  const { t } = useTranslation();
  return (
    <Input.Wrapper
      label={t('account.notice.quiet')}
      description={t('account.notice.quietHint')}
      labelElement="div"
    >
      <Group gap="sm" mt={6} align="start" wrap="nowrap">
        {(['from', 'to'] as const).map((end) => (
          <Select
            allowDeselect
            key={end}
            {...form.getInputProps(`quiet_${end}`)}
            // The form keeps texts: no hour is ''.
            value={form.getValues()[`quiet_${end}`] || null}
            onChange={(hour) => form.setFieldValue(`quiet_${end}`, hour ?? '')}
            data={HOURS}
            aria-label={t(`account.notice.quietEnd.${end}`)}
            placeholder={t(`account.notice.quietEnd.${end}`)}
            clearable
            w={130}
          />
        ))}
      </Group>
    </Input.Wrapper>
  );
}

interface TryProps {
  readonly isOff: boolean;
  readonly text?: 'part.notice.test' | 'account.notice.now';
}

/** Sends a test with the saved settings, not the edited ones. */
function Try({ isOff, text = 'part.notice.test' }: TryProps) {
  const { t } = useTranslation();
  const send = useAction(() => notices.test({}), {
    done: ({ sent_to }) => t('part.notice.sent', { by: t(`part.notice.kind.${sent_to}`) }),
  });
  return (
    <SideButton
      icon={IconSend}
      disabled={isOff}
      loading={send.isPending}
      label={t(text)}
      onClick={() => send.mutate(undefined)}
    />
  );
}
