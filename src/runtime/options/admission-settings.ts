// The settings of the webhook that sizes pods at creation.

import type { SettingTable } from './setting.ts';

export const ADMISSION_SETTINGS = {
  'controller.admission.enabled': {
    type: 'boolean',
    default: false,
    help: 'Set the size of new pods at creation by a mutating webhook that rejects no pod (failurePolicy: Ignore).',
  },
  'controller.admission.addr': { type: 'address', default: ':9443', help: 'Address of the webhook, over HTTPS.' },
  'controller.admission.service': {
    type: 'string',
    default: 'evenkeel-admission',
    help: "Name of the webhook's Service in Evenkeel's namespace, port 443.",
  },
  'controller.admission.url': {
    type: 'string',
    default: '',
    help: 'https://HOST:PORT of the webhook, where the API server cannot reach it by its Service. Empty: the Service is used.',
  },
  'controller.admission.certFile': {
    type: 'string',
    default: '',
    help: "PEM file with the webhook's certificate. Empty: Evenkeel creates and renews one in a Secret of its namespace.",
  },
  'controller.admission.keyFile': { type: 'string', default: '', help: "PEM file with the certificate's key." },
  'controller.admission.caFile': { type: 'string', default: '', help: 'PEM file with the CA that signed the certificate.' },
} as const satisfies SettingTable;
