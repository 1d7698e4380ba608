import { useTranslation } from 'react-i18next';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import { WechatCodeDialog } from '../../components/identity/WechatCodeDialog.tsx';
import { client } from '../../lib/api/api.ts';
import { STORED } from '../../lib/browser/stored.ts';
import { useSignedIn } from './useSignedIn.ts';

const oauth = client({ signIn: oauthCalls.postWechat });

interface WechatDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly returnTo: string | null;
}

export function WechatDialog({ isOpen, onClose, returnTo }: WechatDialogProps) {
  const { t } = useTranslation();
  const signedIn = useSignedIn();
  return (
    <WechatCodeDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('signIn.wechat.title')}
      submitLabel={t('signIn.submit')}
      onCode={async (code) => {
        const aff = STORED.affCode.read();
        const user = await oauth.signIn({ code, ...(aff !== '' && { aff }) });
        await signedIn(user, 'wechat', returnTo);
      }}
    />
  );
}
