// Devices cpu:0, cpu:1, ... of one processor, told apart as GPUs are; off unless they are asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/python/program.h"

namespace nns::tests {
namespace {

ProgramResult run_on(int devices, const std::string& source) {
  return run_python("import torch\nfrom torch import nn\n" + source, {.virtual_devices = devices});
}

TEST(VirtualDevices, WithoutThemANumberedCpuIsTheCpu) {
  const ProgramResult run =
      run_on(0,
             "print(torch.device('cpu:1'), repr(torch.device('cpu', 1)), repr(torch.device('cpu')))\n"
             "x = torch.zeros(2, device='cpu:1')\n"
             "print(x.device, x, (x + torch.ones(2)).device)\n"
             "print(torch.device('cpu:0') == torch.device('cpu'), torch.device('cpu:1').index)\n"
             "print(x.to('cpu:3') is x)\n");
  EXPECT_EQ(run.out,
            "cpu:1 device(type='cpu', index=1) device(type='cpu')\n"
            "cpu tensor([0., 0.]) cpu\n"
            "False 1\nTrue\n")
      << run.traceback;
}

TEST(VirtualDevices, TensorsLieWhereTheyWereMadeOrMoved) {
  const ProgramResult run = run_on(2,
                                   "a = torch.arange(3., device='cpu:1')\n"
                                   "print(a, a.device, a.device.index, a.device.type)\n"
                                   "print(a.to('cpu:0'), a.cpu(), torch.ones(1, device=torch.device('cpu', 0)))\n"
                                   "for b in (a + 1, a.exp(), a[1:], a.view(3, 1), a.sum(), a * 2., a.new_zeros(2),\n"
                                   "          torch.rand_like(a), torch.randn(3, device='cpu:1'), torch.cat([a, a]),\n"
                                   "          torch.tensor([1., 2.], device='cpu:1'), a > 1, a.double(), a.clone(),\n"
                                   "          a.softmax(0), nn.functional.dropout(a), torch.stack([a, a]) @ a):\n"
                                   "    assert str(b.device) == 'cpu:1', b\n"
                                   "with torch.device('cpu:1'):\n    print(torch.zeros(1).device)\n"
                                   "print(torch.zeros(1).device)\n");
  EXPECT_EQ(run.out,
            "tensor([0., 1., 2.], device='cpu:1') cpu:1 1 cpu\n"
            "tensor([0., 1., 2.], device='cpu:0') tensor([0., 1., 2.]) tensor([1.], device='cpu:0')\n"
            "cpu:1\ncpu\n")
      << run.traceback;
}

TEST(VirtualDevices, TensorsOfTwoOfThemDoNotMeet) {
  const ProgramResult run = run_on(2,
                                   "a, b, c = (torch.ones(2, 2, device=d) for d in ('cpu:0', 'cpu:1', 'cpu'))\n"
                                   "for call in (lambda: a + b, lambda: b + a, lambda: a @ b, lambda: c * b,\n"
                                   "             lambda: torch.cat([a, b]), lambda: nn.functional.linear(a, b),\n"
                                   "             lambda: a.add_(b), lambda: torch.zeros(1, device='cpu:2')):\n"
                                   "    try:\n        call()\n        print('no error')\n"
                                   "    except RuntimeError as e:\n        print(e)\n"
                                   "print(a + torch.tensor(1.), a.copy_(b).device)\n");
  const std::string met = "Expected all tensors to be on the same device, but found at least two devices, ";
  EXPECT_EQ(run.out, met + "cpu:0 and cpu:1!\n" + met + "cpu:1 and cpu:0!\n" + met + "cpu:0 and cpu:1!\n" + met +
                         "cpu:1 and cpu!\n" + met + "cpu:0 and cpu:1!\n" + met + "cpu:0 and cpu:1!\n" + met +
                         "cpu:0 and cpu:1!\n" +
                         "cpu:2 is not there: there are 2 virtual devices, cpu:0 to cpu:1\n"
                         "tensor([[2., 2.],\n        [2., 2.]], device='cpu:0') cpu:0\n")
      << run.traceback;
}

TEST(VirtualDevices, ModulesGradientsAndOptimizersStayOnTheirs) {
  const ProgramResult run =
      run_on(3,
             "net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(),\n"
             "                    nn.Linear(4, 2)).to('cpu:2')\n"
             "opt = torch.optim.Adam(net.parameters())\n"
             "x = torch.randn(5, 3)\n"
             "loss = nn.functional.cross_entropy(net(x.to('cpu:2')),\n"
             "                                   torch.zeros(5, dtype=torch.int64, device='cpu:2'))\n"
             "loss.backward()\nopt.step()\n"
             "print({str(p.grad.device) for p in net.parameters()}, loss.device,\n"
             "      {str(t.device) for t in net.state_dict().values()},\n"
             "      {str(s['exp_avg'].device) for s in opt.state.values()})\n"
             "w = torch.ones(2, requires_grad=True)\n"
             "(w.to('cpu:0') * 3).to('cpu:1').sum().backward()\nprint(w.grad)\n"
             "try:\n    net(x)\nexcept RuntimeError as e:\n    print(e)\n");
  EXPECT_EQ(run.out,
            "{'cpu:2'} cpu:2 {'cpu:2'} {'cpu:2'}\ntensor([3., 3.])\n"
            "Expected all tensors to be on the same device, but found at least two devices, cpu:2 and cpu!\n")
      << run.traceback;
}

TEST(VirtualDevices, AnIndexIsANumberFromZeroOn) {
  const ProgramResult run =
      run_on(2,
             "for args in (('cpu:x',), ('cpu:',), ('cpu:01',), ('cpu:128',), ('cpu:99999999999',),\n"
             "             ('cpu', -2), ('cpu:-1',)):\n"
             "    try:\n        print(torch.device(*args))\n"
             "    except RuntimeError as e:\n        print(type(e).__name__, args)\n"
             "print(torch.device('cpu:127'))\n");
  EXPECT_EQ(run.out,
            "RuntimeError ('cpu:x',)\nRuntimeError ('cpu:',)\nRuntimeError ('cpu:01',)\nRuntimeError ('cpu:128',)\n"
            "RuntimeError ('cpu:99999999999',)\nRuntimeError ('cpu', -2)\nRuntimeError ('cpu:-1',)\ncpu:127\n")
      << run.traceback;
}

// The article of the seeds, its DataParallel with three devices.
TEST(DataParallel, CutsTheBatchAndSumsTheGradients) {
  const ProgramResult run =
      run_on(3,
             "torch.manual_seed(0)\n"
             "net = nn.Linear(4, 2).to('cpu:0')\n"
             "dp = nn.DataParallel(net)\n"
             "x = torch.randn(7, 4)\n"
             "print(dp.device_ids, dp.output_device, dp.src_device_obj)\n"
             "out = dp(x)\nout.square().sum().backward()\n"
             "grads = [p.grad.clone() for p in net.parameters()]\nnet.zero_grad()\n"
             "alone = net(x.to('cpu:0'))\nalone.square().sum().backward()\n"
             "print(out.device, torch.allclose(out, alone),\n"
             "      all(torch.allclose(a, p.grad) for a, p in zip(grads, net.parameters())))\n"
             "seen = []\n"
             "net.register_forward_hook(lambda m, i, o: seen.append((i[0].shape[0], str(o.device),\n"
             "    m._is_replica if hasattr(m, '_is_replica') else False)))\n"
             "dp(x)\nprint(seen)\n");
  EXPECT_EQ(run.out,
            "[0, 1, 2] 0 cpu:0\ncpu:0 True True\n"
            "[(3, 'cpu:0', True), (3, 'cpu:1', True), (1, 'cpu:2', True)]\n")
      << run.traceback;
}

TEST(DataParallel, LosesWhatAReplicaRebindsAndKeepsWhatAllShare) {
  const std::string program =
      "class Net(nn.Module):\n"
      "    def __init__(self):\n        super().__init__()\n"
      "        self.fc = nn.Linear(2, 2)\n        self.count = 0\n        self.seen = {}\n"
      "        self.register_buffer('inplace', torch.zeros(1))\n"
      "        self.register_buffer('rebound', torch.zeros(1))\n"
      "    def forward(self, x):\n"
      "        self.count += 1\n        self.seen['rows'] = x.shape[0]\n        self.inplace += 1\n"
      "        self.rebound = self.rebound + 1\n        return self.fc(x)\n"
      "net = Net().to('cpu:0')\ndp = nn.DataParallel(net)\n"
      "for _ in range(2):\n    dp(torch.ones(5, 2))\n"
      "print(net.count, net.seen, net.inplace.item(), net.rebound.item(), dp.module is net)\n";
  EXPECT_EQ(run_on(2, program).out, "0 {'rows': 2} 2.0 0.0 True\n");
  EXPECT_EQ(run_on(1, program).out, "2 {'rows': 5} 2.0 2.0 True\n");
  EXPECT_EQ(run_on(0, program).out, "2 {'rows': 5} 2.0 2.0 True\n");
}

TEST(DataParallel, TheExceptionOfAReplicaSaysWhichItWas) {
  const ProgramResult run = run_on(2,
                                   "class Net(nn.Module):\n    def forward(self, x):\n"
                                   "        if x.device.index == 1:\n            raise ValueError('odd')\n"
                                   "        return x\n"
                                   "nn.DataParallel(Net())(torch.ones(2, 2))\n");
  EXPECT_EQ(run.error_type, "ValueError");
  EXPECT_THAT(run.error_message, testing::StartsWith("Caught ValueError in replica 1 on device 1.\nOriginal Traceback "
                                                     "(most recent call last):\n"));
  EXPECT_THAT(run.error_message, testing::EndsWith("ValueError: odd\n"));
}

TEST(DataParallel, RefusesAModuleThatIsElsewhere) {
  const ProgramResult run = run_on(2, "nn.DataParallel(nn.Linear(2, 2))(torch.ones(2, 2))\n");
  EXPECT_EQ(run.error_message,
            "module must have its parameters and buffers on device cpu:0 (device_ids[0]) but found one of them on "
            "device: cpu");
}

}  // namespace
}  // namespace nns::tests
