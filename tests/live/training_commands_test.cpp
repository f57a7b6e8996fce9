#include "core/live/training_commands.h"

#include <gtest/gtest.h>

#include "core/live/message.h"

namespace nns::live {
namespace {

TEST(TrainingCommands, AStartReadsBack) {
  StartOfTraining start;
  start.recipe = "cnn";
  start.data = 4;
  start.data_name = "mnist";
  start.settings = {{"lr", "0.1"}, {"epochs", "2"}};
  start.is_paused = true;
  const auto message = Message::verify(start_training(3, start));
  ASSERT_TRUE(message.ok()) << message.error().message();
  const auto* told = message->as<wire::StartTraining>();
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->request(), 3U);
  EXPECT_EQ(text_of(told->recipe()), "cnn");
  EXPECT_EQ(told->data(), 4U);
  ASSERT_EQ(told->settings()->size(), 2U);
  EXPECT_EQ(text_of(told->settings()->Get(1)->key()), "epochs");
  EXPECT_EQ(text_of(told->settings()->Get(1)->value()), "2");
  EXPECT_TRUE(told->paused());
}

TEST(TrainingCommands, ASubscriptionReadsBack) {
  TrainingSubscription wanted;
  wanted.id = 5;
  wanted.pattern = "layers.*";
  wanted.modules = {1, 2};
  wanted.subjects = wire::TrainingSubject::Activations | wire::TrainingSubject::Updates;
  wanted.forms = wire::TrainingForm::Moments;
  wanted.every = 10;
  const auto message = Message::verify(subscribe_training(1, 2, wanted));
  ASSERT_TRUE(message.ok());
  const auto* told = message->as<wire::SubscribeTraining>();
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->document(), 2U);
  EXPECT_EQ(told->modules()->size(), 2U);
  EXPECT_EQ(told->subjects(), wanted.subjects);
  EXPECT_EQ(told->every(), 10U);
}

TEST(TrainingCommands, AnActionThatTheProtocolDoesNotKnowIsRefused) {
  EXPECT_TRUE(Message::verify(control_training(1, 2, wire::TrainingAction::Checkpoint)).ok());
  EXPECT_FALSE(Message::verify(control_training(1, 2, static_cast<wire::TrainingAction>(9))).ok());
}

}  // namespace
}  // namespace nns::live
